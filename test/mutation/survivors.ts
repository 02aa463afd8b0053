/**
 * Mutants that no test can notice, or that none has to, with the reason. They count as not noticed all the same; what is not
 * listed here is printed by `npm run mutate`. A mutant is the text before and after, without its line: lines move.
 */
type Survivors = readonly (readonly [why: string, ...mutants: string[]])[];

const SURVIVORS: Readonly<Record<string, Survivors>> = {
  'src/deliveries/reach.ts': [
    ['A repetition is stopped by the same limits, and a task that nothing was sent about has none.', 'false → true'],
    ['A date is not before null.', 'lastSeenAt === null → false'],
  ],
  'src/push/fcm/classify.ts': [
    [
      'The last case of a switch, and what a function without a result returns, is undefined anyway.',
      'default: return undefined; → default:',
      '{ return undefined; } → {}',
    ],
  ],
  'src/push/sms/classify.ts': [['300 is refused by the general rule too.', 'status < 300 → status <= 300']],
  'src/push/telegram/classify.ts': [['Any text that names no lost chat will do.', `'' → "Stryker was here!"`]],
  'src/tasks/due.ts': [
    [
      'A shorter way to the same result.',
      'wall.year > 1 && wall.year < 9999 → false',
      'wallOf(task.due_at, zone).toString() === task.due_written → false',
    ],
    [
      'A series that has a first date has a due date as well, so the second check is enough.',
      'task.due_at === null → false',
      'series.due_at !== null → true',
      'task.due_at?.getTime → task.due_at.getTime',
      'next.due_written?.replace → next.due_written.replace',
    ],
    ['A list has a first entry exactly if it has a last one.', 'first && last → first || last'],
    ['A number other than 1 is all that is asked.', 'series.occurrence_number + 1 → series.occurrence_number - 1'],
    [
      'The pattern has matched eight or fourteen digits before.',
      '/^(....)(..)(..)$/ → /(....)(..)(..)$/',
      '/^(....)(..)(..)$/ → /^(....)(..)(..)/',
      '/^(....)(..)(..)T(..)(..)(..)$/ → /(....)(..)(..)T(..)(..)(..)$/',
      '/^(....)(..)(..)T(..)(..)(..)$/ → /^(....)(..)(..)T(..)(..)(..)/',
    ],
    ['An offset stands at the end of a date-time only.', '/[+-]\\d\\d(:\\d\\d)+$/ → /[+-]\\d\\d(:\\d\\d)+/'],
    [
      'An annotation is found at the end of the text, or the text is refused.',
      '/\\[due=(\\d{8}T\\d{6})-(\\d{3})\\]$/ → /\\[due=(\\d{8}T\\d{6})-(\\d{3})\\]/',
      `annotation === '' → true`,
    ],
    ['The first date of a series is not after its present one.', `rule.from === 'completion' → true`],
    [
      'Two equal dates.',
      'Temporal.PlainDate.compare(closed, today) > 0 → Temporal.PlainDate.compare(closed, today) >= 0',
    ],
    ['Destructured by its second entry, which neither has.', '[] → ["Stryker was here"]'],
    ['Nothing but a whole date is read from it.', `'' → "Stryker was here!"`],
  ],
  'src/escalation/check-ladder.ts': [
    [
      'Two days and all rungs show every window; a minute more shows the same.',
      'time < 2 * DAY + totalWait(ladder.rungs) → time <= 2 * DAY + totalWait(ladder.rungs)',
    ],
    ['Ends the count early.', 'most > MOST_A_DAY → false'],
  ],
  'src/escalation/choose-ladder.ts': [
    [
      'A shorter way to the same result.',
      'task.ladder === null && storedBook === null → false',
      'task.ladder === null → false',
    ],
  ],
  'src/escalation/holds.ts': [
    [
      'The same moment, reached by the other way.',
      'running.until > planned.from → running.until >= planned.from',
      'change < wallEnd.getTime() → change <= wallEnd.getTime()',
      'first > at.getTime() → first >= at.getTime()',
      'start > end → start >= end',
    ],
    [
      'No clock is within hours that begin or end with null, or are empty.',
      'start === null || end === null || start === end → false',
      'start === null || end === null || start === end → (start === null || end === null) && start === end',
      'start === null || end === null → false',
      'start === null || end === null → start === null && end === null',
      'start === null → false',
      'end === null → false',
      'start === end → false',
    ],
    ['A comparison with undefined is false.', 'change !== undefined → true'],
  ],
  'src/escalation/ladder.ts': [
    ['A text is less than no number.', `typeof after === 'number' → true`],
    ['A ladder that repeats has a rung.', 'rungs.at(-1)?.stage → rungs.at(-1).stage'],
  ],
  'src/escalation/after-set-back.ts': [['The same moment.', 'moment > now → moment >= now']],
  'src/escalation/plan-nudge.ts': [
    ['This is the default.', `{ disambiguation: 'compatible' } → {}`],
    ['Every moment is after null.', 'headsUpAt === null → false'],
    ['The same moment.', 'wantedAt > now → wantedAt >= now'],
    ['A heads-up at the first due nudge is left out later too.', 'isAllDay && headsUp.days === 0 → false'],
  ],
  'src/caldav/content-lines.ts': [
    [
      'A shorter way to the same result.',
      'line.length * 3 <= LINE_BYTES || Buffer.byteLength(line) <= LINE_BYTES → false',
      'line.length * 3 <= LINE_BYTES || Buffer.byteLength(line) <= LINE_BYTES → line.length * 3 <= LINE_BYTES && Buffer.byteLength(line) <= LINE_BYTES',
      'line.length * 3 <= LINE_BYTES → false',
      'line.length * 3 <= LINE_BYTES → line.length * 3 < LINE_BYTES',
      'Buffer.byteLength(line) <= LINE_BYTES → false',
      'Buffer.byteLength(line) <= LINE_BYTES → Buffer.byteLength(line) < LINE_BYTES',
    ],
    ['Nobody looks at the name of the root.', `'' → "Stryker was here!"`],
    [
      'The list has its root, and the pattern its group.',
      'open.at(-1)?.lines → open.at(-1).lines',
      'open.at(-1)?.parts → open.at(-1).parts',
      'open.at(-1)?.name → open.at(-1).name',
      '/^([A-Za-z0-9-]+)(?=[;:])/.exec(line)?.[1]?.toUpperCase → /^([A-Za-z0-9-]+)(?=[;:])/.exec(line)?.[1].toUpperCase',
    ],
  ],
  'src/caldav/planned-change.ts': [
    [
      'A key without a date is none of a later one.',
      `rule && key !== '' → true`,
      `key !== '' → true`,
      `'' → "Stryker was here!"`,
    ],
    ['A shorter way to the same result.', 'occurrence === keys.due → false'],
    ['An offset stands at the end of a date-time only.', '/[+-]\\d\\d(:\\d\\d)+$/ → /[+-]\\d\\d(:\\d\\d)+/'],
    ['The next date is written.', 'next.due_written?.replace → next.due_written.replace'],
  ],
  'src/caldav/todo-writer.ts': [
    ['The cache saves time alone.', 'known !== undefined → false', 'described.set(key, text); → ;'],
    ['A task with a wall time has a due date.', 'task.due_at?.getTime → task.due_at.getTime'],
  ],
  'src/words/wall-time.ts': [
    ['The cache saves time alone.', 'existing → false', 'formatters.set(zone, formatter); → ;'],
    [
      'Either all groups have matched or none.',
      '!year || !month || !day → (!year || !month) && !day',
      '!year || !month → false',
      '!year || !month → !year && !month',
    ],
    ['Destructured by entries that neither has.', '[] → ["Stryker was here"]'],
  ],
  'src/words/remaining-text.ts': [
    [
      'The text in lower case is kept to save time alone.',
      "{ text: '', lower: '' } → {}",
      `'' → "Stryker was here!"`,
      'this.#lowered.text !== this.#text → true',
    ],
    ['Any name that is neither of the others will do.', `'corrected' → ""`],
    ['What is kept last, and nothing stands for, is not asked for.', '[] → ["Stryker was here"]'],
  ],
  'src/words/works.ts': [
    ['The pattern has its groups.', 'IN_WORK.exec(sentence)?.groups?.name → IN_WORK.exec(sentence)?.groups.name'],
  ],
  'src/words/doubt.ts': [['A day has “for” before it alone.', '/^for / → /for /', '/^for\\s/ → /for\\s/']],
  'src/words/unread-words.ts': [['“Last” stands nowhere else in what stays.', '/^last /i → /last /i']],
  'src/words/completion.ts': [['There is white space around the words anyway.', `' ' → ""`]],
  'src/words/rule-patterns.ts': [['What is no unit is a day.', `'day' → ""`]],
  'src/words/find-time.ts': [
    ['What has matched names a part of the day, or a time.', '\'evening\' → ""', 'found.length === 0 → false'],
    ['A field that is undefined is read as one that is not there.', 'part === undefined → false'],
    ['What is written in 24 hours is exact itself.', 'at > index → at >= index'],
    ['A range to noon begins in the morning anyway.', 'end.hour >= 12 → end.hour > 12'],
  ],
  'src/words/find-window.ts': [
    [
      'A range has groups, and both its ends or none.',
      'match.groups?.start → match.groups.start',
      '!start || !end → !start && !end',
    ],
  ],
  'src/words/moving-feasts.ts': [['Only that it is there is asked.', `'regional' → ""`]],
  'src/escalation/read-choice.ts': [
    ['A field that is undefined is read as one that is not there.', 'end !== undefined → true'],
  ],
};

/** The reason for a mutant, "src/a.ts:7 a < b → a <= b"; undefined if there is none. */
export function explanationOf(mutant: string): string | undefined {
  const [, file = '', text = ''] = /^([^:]+):\d+ (.*)$/s.exec(mutant) ?? [];
  return SURVIVORS[file]?.find(([, ...mutants]) => mutants.includes(text))?.[0];
}
