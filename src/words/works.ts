/**
 * Tells the name of a book, a film, a song or a product from a moment: "finish reading The 5 AM Club", "watch Midnight in
 * Paris". In a phrase that is otherwise in lower case, capitals around a time or within it say that it is a name. A day of
 * the week always has one, so for a day the verb decides: "stream Any Given Sunday".
 */
import { MONTH, TOMORROW, WEEKDAY } from './lexicon.ts';
import { GAP } from './remaining-text.ts';
import { around } from './title-words.ts';

const CAPITAL = String.raw`\p{Lu}[\p{L}'’]*`;
/** The next word is neither a day or a month nor one that leads to a moment. */
export const NO_DAY = String.raw`(?!(?:(?:Mon|Tues?|Wed(?:s|nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:days?)?|Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|Tomorrow|Today|Tonight|Every|Each|Daily|At|On|By|For|With|From)(?!\p{L}))`;
const VERB =
  '(?:read(?:ing)?|re-?read|watch(?:ing)?|re-?watch|stream|binge|listen(?:ing)? to|play|finish|start|continue|borrow|return|rent|buy|order|pre-?order|download|review(?: of)?|copy of|tickets? (?:for|to)|learn|sing|practi[cs]e|rehearse|record|perform|recommend|lend|see)';
/** From the verb to the words in question there is nothing but more of the name. */
const IN_WORK = new RegExp(
  String.raw`(?:^|\s)${VERB}\s(?:the\s|an?\s|my\s|our\s)?(?<name>(?:(?:${CAPITAL}|\d+|of|the|in|to|and|on)\s){0,5})$`,
  'u',
);
/** "see Anna Friday" is more often a meeting. */
const MEETING = /(?:^|\s)see\s$/;
const BEFORE_CAPITAL = new RegExp(String.raw`^\s${NO_DAY}\p{Lu}[\p{L}'’]*\p{Ll}`, 'u');
const JOINED_TO_CAPITAL = new RegExp(
  String.raw`^\s(?:(?:in|of|to|and|at|by|for|on)\s(?:the\s)?)?${NO_DAY}\p{Lu}[\p{L}'’]*\p{Ll}`,
  'u',
);
const LOWER_WORD =
  /(?:^|[\s,])(?!(?:the|and|with|for|from|until|before|after|every|this|next|about|today|tonight|tomorrow|noon)\b)\p{Ll}{3}/u;
const UNIT_WITH_CAPITAL = /\s(?:Seconds?|Minutes?|Hours?|Days?|Weeks?|Months?|Years?)$/;
/** "4 in the Morning". */
const LED_PART = /^(?:in|at|on|before|after)\s(?:the\s)?(?:Morning|Afternoon|Evening|Night)$/;
/** "Monday Starts on Saturday", "Seven Days in May". */
const NAMED_TIME = /(?:day|night|morning|evening|week|month|year|hour|minute)s?\s/i;
const CLOCK = /^\d{1,2}(?:[:.]\d\d)?\s?(?:[AaPp]\.?[Mm]\.?)?$/;
const DAY = new RegExp(`^(?:${WEEKDAY}|${MONTH}|today|tonight|${TOMORROW})(?:[\\s,.]|$)`, 'i');
const CLOCK_FOLLOWS = new RegExp(String.raw`^\s*(?:at\s+(?:\d|noon|midnight)|@|\d|${GAP})`);
const CLOCK_BEFORE = /\d\s[AP][Mm]\s$/;
/** "lunch Friday Noon", where the day was taken already. */
const isBesideTaken = (before: string, after: string): boolean =>
  before.trimEnd().endsWith(GAP) || after.trimStart().startsWith(GAP);
/** "Dr Friday 3pm" at the beginning is an appointment. */
const TITLE_OF_PERSON = /\s(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Sir|Judge|Captain)\.?\s$/;

type Doubt = 'name' | 'words' | undefined;

/** `name` if the words from `start` to `end` are a part of a name, `words` if they may be. */
export function doubtOfWork(written: string, start: number, end: number): Doubt {
  const own = written.slice(start, end);
  const [before, after] = around(written, start, own);
  // A sentence begins with a capital, so its first word is read as if it had none.
  const sentence = start === before.length ? before.replace(/^\s*\p{Lu}/u, (first) => first.toLowerCase()) : before;
  if (before.trim() === '' || !(LOWER_WORD.test(sentence) || LOWER_WORD.test(after))) return undefined;
  const name = IN_WORK.exec(sentence)?.groups?.name;
  if (/^\p{Ll}/u.test(own)) return doubtOfLed(own, after, name);
  if (CLOCK.test(own)) return doubtOfClock(own, sentence, after, name !== undefined);
  if (DAY.test(own)) return doubtOfDay(own, sentence, after, name);
  if (!/^\p{Lu}\p{Ll}/u.test(own) || /\d/.test(own) || isBesideTaken(before, after)) return undefined;
  return name !== undefined || JOINED_TO_CAPITAL.test(after) ? 'name' : 'words';
}

/** Words with a small one before them: "4 in the Morning", "Around the World in 80 Days", "at Noon Café". */
function doubtOfLed(own: string, after: string, name: string | undefined): Doubt {
  const isNamed = LED_PART.test(own) || (/^(?:in|within|after)\s/.test(own) && UNIT_WITH_CAPITAL.test(own));
  if (isNamed) return name === undefined ? 'words' : 'name';
  if (/^(?:on|in)\s/.test(own)) return NAMED_TIME.test(name ?? '') ? 'words' : undefined;
  return /^at\s\p{Lu}/u.test(own) && BEFORE_CAPITAL.test(after) ? 'words' : undefined;
}

function doubtOfDay(own: string, before: string, after: string, name: string | undefined): Doubt {
  if (TITLE_OF_PERSON.test(before)) return 'name';
  if (name === undefined || CLOCK_FOLLOWS.test(after) || CLOCK_BEFORE.test(before)) return undefined;
  return isNameBeforeDay(own, before, name) ? 'words' : undefined;
}

/** "play Blue Monday", "a review of Tuesdays with Morrie" and "return Tomorrow", but neither "start Monday" nor "see Anna Friday". */
function isNameBeforeDay(own: string, before: string, name: string): boolean {
  if (name === '') return /\s(?:of|for)\s$/.test(before) || /^To/.test(own);
  return !MEETING.test(before.slice(0, before.length - name.length));
}

/** "The 5 AM Club" is a name, "call Bo 5 PM" and "5 PM Friday" are none. */
function doubtOfClock(own: string, before: string, after: string, isWork: boolean): Doubt {
  const isNamed = BEFORE_CAPITAL.test(after);
  if (isNamed && (isWork || /\sThe\s$/.test(before))) return 'name';
  if (isWork && /^\s(?:to|by)\s\p{Lu}/u.test(after)) return 'name';
  return isNamed && /[AP]\.?M/.test(own) && /\p{Ll}\s$/u.test(before) ? 'words' : undefined;
}
