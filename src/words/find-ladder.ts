/**
 * Finds how a task insists: "nag every 10 minutes", "gently", "once a day until done". The same words are titles too,
 * "nag Peter" and "gently wash wool", so they count only where they speak of reminders: with "me", with "until done", or
 * beside the moment.
 */
import type { Choices, GuessKind } from './guess.ts';
import { LADDER_NAMES, type LadderName, LONGEST_WAIT, ladderEvery } from './ladder-wait.ts';
import { COUNT, numberOf } from './lexicon.ts';
import { GAP, type Groups, PHRASE_END, type Reader, type RemainingText, wholeWords } from './remaining-text.ts';

/** What the words ask for. */
export type WantedLadder = ({ readonly preset: LadderName } | { readonly every: number }) & {
  /** They may mean something else. */
  readonly isGuess?: boolean;
};

export interface WordsLadder {
  /** As the API takes it. */
  readonly choice: { readonly preset: LadderName } | ReturnType<typeof ladderEvery>;
  /** Minutes between two nudges; null for a ladder that has a name. */
  readonly every: number | null;
}

interface SettledLadder {
  readonly ladder: WordsLadder | null;
  readonly guesses: readonly GuessKind[];
  /** The person chose a wait that only a task that must not be missed has. */
  readonly needsMust: boolean;
}

const SHORTEST = 5;
const SHORTEST_FOR_MUST = 1;
const DAY = 1_440;

const EVERY = '(?:(?:once )?(?:every|each)(?: single)?|once (?:an?|per))';
const MANY = `${COUNT}|(?:a )?few|couple(?: of)?`;
const INTERVAL = `(?:${[
  String.raw`${EVERY} (?:(?<count>\d{1,3}(?=\s*[a-z])|(?:${MANY})(?=\s))\s*)?(?<unit>seconds?|secs?|minutes?|mins?|m|hours?|hrs?|h|days?|mornings?|weeks?)`,
  String.raw`${EVERY} (?<half>half)[\s-](?:an? )?hour`,
  String.raw`${EVERY} (?<quarter>quarter)(?: of an)?[\s-]hour`,
  String.raw`(?:at|in) (?<step>\d{1,3})[\s-]minute intervals`,
  '(?<adverb>hourly|daily|weekly)',
].join('|')})`;
const MINUTES: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: DAY, w: 7 * DAY };

/** A wait, or undefined for what no ladder can say. "Once a day" is at the start of the day. */
function waitOf({ count, unit = '', half, quarter, step, adverb }: Groups): WantedLadder | undefined {
  if (half) return { every: 30 };
  if (quarter) return { every: 15 };
  if (step) return { every: Number(step) };
  const name = (adverb ?? unit).replace(/^morning/, 'day');
  const minutes = Math.ceil((count === undefined ? 1 : numberOf(count)) * (MINUTES[name.charAt(0)] ?? 0));
  if (minutes === DAY) return { preset: 'daily' };
  return minutes > 0 && minutes <= LONGEST_WAIT ? { every: minutes } : undefined;
}

/** "until done", "till it's finished", "until I tick it off". */
const DONE = String.raw`,?\s*(?:until|till|til) (?:(?:i(?:['’](?:ve|m)| have| am)?|it(?:['’]s| is| gets)?|that(?:['’]s| is)|this is|the task is) )?(?:done|did|do|finish(?:ed)?|complet(?:ed?|ion)|tick(?:ed)?|check(?:ed)?|mark(?:ed)?|acknowledged?|answer(?:ed)?|confirm(?:ed)?|respond|dealt with|(?<=\bi\s(?:have\s)?)[a-z]{2,}(?= (?:it|them|that|this)\b))(?: (?:it|them|that|this))?(?: (?:off|as done))?`;
/** "nag every hour until 6pm" ends at another moment than a ladder can. */
const NO_OTHER_END = String.raw`(?!,?\s*(?:(?:until|till|til)\b|for (?:\d|an?\b|the\b|one\b|two\b|three\b)))`;
const TO = '(?: (?:to|about))?';
/** "nag me every hour until I call Bo": what follows is the task. */
const UNTIL_I = '(?:until|till|til) i(?= [a-z])';
const KEEP = '(?:please )?(?:keep (?:on )?|start )?';
/** Verbs that, with "me", speak of the reminders. */
const ME = String.raw`${KEEP}(?:nag|nagging|nudg(?:e|ing)|pester|pestering|bug|bugging|bother|bothering|pok(?:e|ing)|ping|pinging|alert|alerting|badger|badgering|hound|hounding|annoy|annoying) me`;
/** Beside an interval without "me" too. "nag Peter every week" is a task. */
const NAG = `${KEEP}(?:nag|nagging|nudg(?:e|ing)|insist|insisting)`;
const REMIND = `${KEEP}remind(?:ing)?(?: me)?`;

type Read = (groups: Groups) => WantedLadder | undefined;
const reader = (source: string, read: Read): Reader<WantedLadder> => [
  wholeWords(source),
  ({ groups }) => read(groups ?? {}),
];
const meaning = (preset: LadderName, ...sources: string[]): Reader<WantedLadder>[] =>
  sources.map((source) => reader(source, () => ({ preset })));

const GENTLY = '(?:gently|softly)';
const INSISTENTLY = '(?:insistently|persistently|relentlessly)';
const MEDICATION = '(?:like|as with|as for) (?:a |my )?(?:medication|medicine|meds)';

const NAGGING = `(?:${ME}|${NAG}) ${INTERVAL}${NO_OTHER_END}${TO}`;
/** "nag me daily at 9" may also be a task that repeats. */
const withinDay: Read = (groups) => {
  const wanted = waitOf(groups);
  return wanted && 'every' in wanted && wanted.every < DAY ? wanted : undefined;
};

const EXPLICIT: readonly (readonly Reader<WantedLadder>[])[] = [
  [
    reader(`(?:then )?(?:(?:${ME}|${NAG}|${REMIND}|repeat|ring) )?${INTERVAL}(?: after that)?${DONE}${TO}`, waitOf),
    reader(`(?:${ME}|${NAG}|${REMIND}) ${INTERVAL} ${UNTIL_I}`, waitOf),
    reader(NAGGING, withinDay),
    // "remind me every hour to stretch" is a task that repeats.
    reader(`(?:keep (?:on )?reminding me|remind me again) ${INTERVAL}${NO_OTHER_END}${TO}`, waitOf),
  ],
  [
    ...meaning('gentle', `${GENTLY} (?:remind|nudge) me${TO}`, `(?:${REMIND}|${ME}) ${GENTLY}${TO}`),
    ...meaning('gentle', `with gentle (?:reminders|nudges)${PHRASE_END}`),
    ...meaning('persistent', `${INSISTENTLY} (?:remind|nudge) me${TO}`, `(?:${REMIND}|${ME}) ${INSISTENTLY}${TO}`),
    ...meaning('persistent', `with (?:persistent|insistent) (?:reminders|nudges)${PHRASE_END}`),
    ...meaning('persistent', `(?:${ME}|${NAG})${DONE}${TO}`),
    ...meaning(
      'persistent',
      String.raw`(?<=^\s*(?:please )?)(?:nag|pester|badger|hound|bug(?= me (?:to|about))) me${TO}`,
    ),
    ...meaning('medication', `remind me ${MEDICATION}`),
    ...meaning('gentle', String.raw`(?<=^\s*)(?:an? )?gentle (?:reminder|nudge) (?:to|about)`),
    ...meaning('default', `${KEEP}remind(?:ing)? me${DONE}${TO}`, `(?:don['’]?t|do not) stop${DONE}`),
    reader(`(?:use|with|on) (?:the )?(?<name>${LADDER_NAMES.join('|')}) ladder`, ({ name }) => ({
      preset: name as LadderName,
    })),
  ],
];

const asGuess = (wanted: WantedLadder | undefined): WantedLadder | undefined => wanted && { ...wanted, isGuess: true };

/** "call mum at 5pm, remind me every 10 minutes": most likely until it is done, but it may repeat. */
const DOUBTFUL: readonly Reader<WantedLadder>[] = [
  reader(String.raw`(?<=,\s*|\band )(?:then )?remind me ${INTERVAL}${NO_OTHER_END}${PHRASE_END}`, (groups) =>
    asGuess(waitOf(groups)),
  ),
  reader(NAGGING, (groups) => asGuess(waitOf(groups))),
  reader(`${MEDICATION}${PHRASE_END}`, () => ({ preset: 'medication', isGuess: true })),
];

const tone = (words: string, preset: LadderName): Reader<WantedLadder>[] =>
  [
    String.raw`(?<=${GAP}[\s,;.]*(?:and )?)(?:${words})(?=[\s.!]*(?:$|[,${GAP}]))`,
    String.raw`(?<=^\s*)(?:${words})(?=\s*[,:])`,
  ].map((source) => [new RegExp(source, 'g'), () => ({ preset, isGuess: true })]);

/** Words beside the moment, which must have been taken: "rent friday 9am, gently". */
const TONES: readonly Reader<WantedLadder>[] = [
  ...tone('(?:be )?(?:gently|softly|gentle)|gentle (?:reminders?|nudges?)', 'gentle'),
  ...tone(
    'insist|insistently|persistently|relentlessly|(?:be )?persistent|(?:keep )?nag(?:ging)?(?: me)?|(?:keep )?(?:pester|bug|badger)(?:ging|ing)? me|(?:persistent|insistent) (?:reminders?|nudges?)',
    'persistent',
  ),
  ...LADDER_NAMES.flatMap((preset) => tone(`${preset} ladder|ladder:? ${preset}`, preset)),
];

/** To be called before a rule is looked for: both have intervals. */
export const takeLadder = (rest: RemainingText, choices: Choices): WantedLadder | undefined =>
  rest.takeFirst(choices.has('ladder') ? EXPLICIT : [...EXPLICIT, DOUBTFUL]);

export const takeTone = (rest: RemainingText, choices: Choices): WantedLadder | undefined =>
  choices.has('ladder') ? undefined : rest.take(TONES);

/** Waits under five minutes are for tasks that must not be missed. For others five are a guess, and `wait` the choice. */
export function settleLadder(wanted: WantedLadder | undefined, mustNotMiss: boolean, choices: Choices): SettledLadder {
  if (!wanted) return { ladder: null, guesses: [], needsMust: false };
  const guesses: GuessKind[] = wanted.isGuess ? ['ladder'] : [];
  if ('preset' in wanted)
    return { ladder: { choice: { preset: wanted.preset }, every: null }, guesses, needsMust: false };
  const isShort = wanted.every < SHORTEST && !mustNotMiss;
  const needsMust = isShort && choices.has('wait');
  const every = Math.max(wanted.every, mustNotMiss || needsMust ? SHORTEST_FOR_MUST : SHORTEST);
  return {
    ladder: { choice: ladderEvery(every), every },
    guesses: isShort ? [...guesses, 'wait'] : guesses,
    needsMust,
  };
}
