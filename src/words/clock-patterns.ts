/** How people write and speak a time of the day: "5pm", "14.30", "quarter to five", "nineteen hundred". */
import { COUNT_WORD, DIGIT_WORD, LATE_HOUR, TEEN } from './lexicon.ts';
import { GAP, PHRASE_END } from './remaining-text.ts';

export const SUFFIX = String.raw`(?:\s*(?:[ap]m\b|[ap]\.m\.?))`;
export const HOUR = String.raw`(?:2[0-4]|[01]?\d)`;
export const MINUTE = String.raw`[0-5]\d`;
export const NOON = '(?:noon|midday|midnight)';
export const DOTTED = String.raw`${HOUR}\.${MINUTE}`;
const O_CLOCK = String.raw`o['’\s]?clock`;

const MINUTES_AFTER_HOUR = String.raw`(?:(?:oh|zero)[\s-]${DIGIT_WORD}|ten|eleven|twelve|${TEEN}|(?:twenty|thirty|forty|fifty)(?:[\s-]${DIGIT_WORD})?)`;
/** "five thirty", "nine oh five". */
export const SPOKEN = String.raw`${COUNT_WORD}[\s-]${MINUTES_AFTER_HOUR}`;
const HOUR_OF_24 = String.raw`(?:(?:oh|zero)[\s-]${DIGIT_WORD}|${LATE_HOUR})`;
/** "fourteen thirty", "oh nine fifteen". */
export const SPOKEN_24 = String.raw`${HOUR_OF_24}[\s-]${MINUTES_AFTER_HOUR}(?:\s+hours)?`;
/** "nineteen hundred", but not "nineteen hundred photos". */
const HUNDRED = String.raw`${HOUR_OF_24}\s+hundred(?!\s+\p{L}+s(?!\p{L}))`;
const HUNDRED_HOURS = String.raw`(?:${HOUR_OF_24}|ten|eleven|twelve)\s+hundred\s+hours`;

const HOUR_NAMED = `(?:${HOUR}|${COUNT_WORD}|${NOON})`;
const MINUTES = String.raw`(?:${TEEN}|twenty(?:[\s-]${DIGIT_WORD})?|${COUNT_WORD})`;
/** Minutes that people name before an hour. Others count something more often: "two to three". */
const ROUND = String.raw`(?:five|ten|twenty(?:[\s-]five)?)`;
const TO = '(?:to|till?)';
const NO_RANGE = String.raw`(?<!\b(?:from|between)\s+)`;
const SAID_HALF = String.raw`(?:${SUFFIX}|\s+${O_CLOCK}|(?=\s+(?:in\s+the\s+(?:morning|afternoon|evening)|at\s+night|tonight|this\s+(?:morning|afternoon|evening))\b))`;
/** "five to twelve" is a time, or a number between two others. */
export const ROUND_TO = String.raw`${NO_RANGE}(?:${ROUND}\s+${TO}|quarter\s+of)\s+${COUNT_WORD}`;
const RELATIVE = [
  String.raw`(?:half|(?:an?\s+)?quarter|twenty(?:[\s-]five)?)\s+(?:past|${TO})\s+${HOUR_NAMED}(?:${SUFFIX})?`,
  String.raw`quarter\s+after\s+${HOUR_NAMED}(?:${SUFFIX})?`,
  String.raw`${MINUTES}\s+(?:past\s+${HOUR_NAMED}|${TO}\s+${NOON})(?:${SUFFIX})?`,
  String.raw`(?:${MINUTES}|[1-5]?\d)\s+(?:minutes|mins)\s+(?:past|${TO})\s+${HOUR_NAMED}(?:${SUFFIX})?`,
  String.raw`(?:${ROUND_TO}|half\s+${COUNT_WORD})${SAID_HALF}`,
  String.raw`[1-5]?\d\s+past\s+${HOUR_NAMED}(?:${SUFFIX}|${PHRASE_END})`,
].join('|');

/** These are times wherever they stand. */
export const SURE = String.raw`(?:${RELATIVE}|${HUNDRED_HOURS}|(?:${SPOKEN}|${COUNT_WORD})${SUFFIX}|(?:${COUNT_WORD}|${LATE_HOUR})\s+${O_CLOCK}(?:${SUFFIX})?|${HOUR}:${MINUTE}(?:${SUFFIX}|[ap]\b|\s*(?:h|hrs|uhr|uur)\b)?|${DOTTED}(?:${SUFFIX}|\s*(?:u[hu]r|h)\b)|${HOUR}(?:${MINUTE})?${SUFFIX}|${HOUR}h${MINUTE}|${HOUR}\s*(?:${O_CLOCK}(?:${SUFFIX})?|u[hu]r\b(?:\s*${MINUTE}(?!\s*\p{L}|\d))?)|${NOON}${PHRASE_END}|(?<=${GAP}\s*)${NOON})`;
export const AT = String.raw`(?:at|@|um|around|about)\s*`;
/** These only after "at": they can also be a number of something. */
export const UNSURE = String.raw`(?:${SPOKEN_24}|quarter\s+of\s+${COUNT_WORD}|${HUNDRED}|${SPOKEN}|[012]\d${MINUTE}|${DOTTED}|(?:\d{1,2}|${COUNT_WORD})\s+(?:past|${TO})\s+${HOUR_NAMED}|half\s+(?:${HOUR}|${COUNT_WORD})${PHRASE_END}|${HOUR}(?:h|[ap]\b)|${NOON}|${HOUR}${PHRASE_END}|(?<=(?:^|${GAP})\s*${AT})${HOUR}|(?<=${GAP}\s*${AT})${COUNT_WORD}|(?:${LATE_HOUR}|${COUNT_WORD})${PHRASE_END})`;
