/** The pure files, by group, and the tests that must notice their mutants. */
export interface Group {
  /** Patterns of the files that are changed. */
  readonly files: readonly string[];
  /** Patterns of the tests, without a database and a server. */
  readonly tests: readonly string[];
  /** Parts of the names of tests that measure time, which code with mutants takes more of, or cost more than they notice. */
  readonly leftOut?: readonly string[];
  /** So many tests run for a mutant in fresh modules, the likely ones, where all of them would take too long. */
  readonly mostFresh?: number;
}

/** Words have too many mutants for one group. These files have tests of their own, which need no sentence. */
const DATES = 'days|wall-time|feasts|moving-feasts';
const CLOCK = 'read-time|half-of-day';
const LETTERS = 'spelling|tidy-typing|lexicon|names|fit-title|alternatives|title-words|fold-letters';
const MARKS = 'find-marks|find-ladder';
const TITLES = 'unread-words|works|doubt|remaining-text';
const REPEATS = 'find-rule|found-rule|rule-patterns|completion';
const DAYS = 'find-date|date-patterns|calendar-patterns|find-offset';
const TIMES = 'find-time|clock-patterns|find-window|find-stop|zones';
const RULES = 'read-rule|write-rule|rule-words|rule-keys|rhythms|recurrence|stopped-series|ladder-wait';
/** The rest needs sentences. What a file is made of tells which group it is in, so that one of them takes minutes. */
const SENTENCES = {
  'moments-in-words': 'schedule|schedule-options|settle-times|guess|found-date|found-words',
  'tasks-in-words': 'parse-task',
} as const;
const SLOW_IN_WORDS = [
  'in about the time of',
  'whatever is written',
  'nothing is read inside a word of another script',
  'words that were not understood stay in the title',
  'every guess in the tables is one',
];

export const GROUPS: Readonly<Record<string, Group>> = {
  visibility: { files: ['src/tasks/visibility.ts'], tests: ['src/tasks/visibility.test.ts'] },
  reach: { files: ['src/deliveries/reach.ts'], tests: ['src/deliveries/reach.test.ts'] },
  'task-state': { files: ['src/tasks/task-state.ts'], tests: ['src/tasks/task-state.test.ts'] },
  due: { files: ['src/tasks/due.ts'], tests: ['src/tasks/due.test.ts'] },
  classification: {
    files: ['src/push/*/classify.ts', 'src/push/channel-answer.ts'],
    tests: [
      'src/push/channel-answer.test.ts',
      'src/push/*/classify.test.ts',
      'src/push/{apprise,pushover}/payload.test.ts',
    ],
  },
  escalation: { files: ['src/escalation/!(*.schemas).ts'], tests: ['src/escalation/!(*-properties).test.ts'] },
  mapping: {
    files: ['src/caldav/{content-lines,kept,planned-change,todo-fields,todo-reader,todo-writer}.ts'],
    tests: ['src/caldav/*.test.ts'],
  },
  recurrence: {
    files: ['src/recurrence/*.ts'],
    tests: ['src/recurrence/!(*-properties|*-zones).test.ts'],
    leftOut: [
      'takes well under a millisecond',
      'megabytes of input',
      'any input gives a rule, undefined or a RuleError',
      'several times a day occur once each',
      'is counted from year 1',
      'finding out that a rule never matches',
    ],
  },
  'dates-in-words': { files: [`src/words/@(${DATES}).ts`], tests: ['src/words/{days,wall-time}.test.ts'] },
  'clock-in-words': { files: [`src/words/@(${CLOCK}).ts`], tests: ['src/words/read-time.test.ts'] },
  'letters-in-words': {
    files: [`src/words/@(${LETTERS}).ts`],
    tests: ['src/words/{spelling,lexicon,title-words,fold-letters}.test.ts'],
  },
  'marks-in-words': { files: [`src/words/@(${MARKS}).ts`], tests: ['src/words/find-{marks,ladder}.test.ts'] },
  'days-in-words': {
    files: [`src/words/@(${DAYS}).ts`],
    tests: ['src/words/{find-date,calendar-patterns,find-offset}.test.ts'],
  },
  'times-in-words': {
    files: [`src/words/@(${TIMES}).ts`],
    tests: ['src/words/{find-time,bare-hours,find-window,zones}.test.ts'],
  },
  'rules-in-words': {
    files: [`src/words/@(${RULES}).ts`],
    tests: ['src/words/{recurrence,read-rule,write-rule}.test.ts'],
  },
  'titles-in-words': {
    files: [`src/words/@(${TITLES}).ts`],
    tests: [`src/words/{${TITLES.replaceAll('|', ',')}}.test.ts`],
  },
  'repeats-in-words': {
    files: [`src/words/@(${REPEATS}).ts`],
    tests: ['src/words/{find-rule,rule-patterns,completion}.test.ts'],
  },
  ...Object.fromEntries(
    Object.entries(SENTENCES).map(([name, files]) => [
      name,
      {
        files: [`src/words/@(${files}).ts`],
        tests: ['src/words/*.test.ts'],
        leftOut: SLOW_IN_WORDS,
        mostFresh: 60,
      },
    ]),
  ),
};
