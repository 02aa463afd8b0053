/**
 * Tells words that name a moment from the same words in a title: "watch Friday Night Lights", "order 10 pm cables". The
 * words around them decide: capitals, a verb of buying before a number, a plural noun after it.
 */
import { PHRASE_END } from './remaining-text.ts';

/** How far words are looked at, so that a long text is read in a time that grows with its length alone. */
const NEARBY = 40;

/** The text before and after the words that stand at `index`. */
export const around = (text: string, index: number, words: string): [before: string, after: string] => [
  text.slice(Math.max(0, index - NEARBY), index),
  text.slice(index + words.length, index + words.length + NEARBY),
];

const NAME_WORD = /^\p{Lu}[\p{L}'’]*\p{Ll}/u;
/** The next word of a name. A word of capitals alone, as in a text that shouts, says nothing. */
const NEXT_IN_NAME = /^ (?!(?:At|On|In|By|From|For|With|To|And|Before|After|Until)\b)\p{Lu}[\p{L}'’]*\p{Ll}/u;

/** Whether the words from `start` to `end` of a text are part of a proper name. */
export function isInName(written: string, start: number, end: number): boolean {
  const words = written.slice(start, end).replace(/^for /, '').split(' ');
  if (!words.every((word) => NAME_WORD.test(word))) return false;
  const isFirst = start <= 5 && /^\s*(?:the )?$/i.test(written.slice(0, start));
  // "The Day After Tomorrow".
  if (words.length > 2 && !isFirst) return true;
  if (!isFollowedByName(written, end)) return false;
  return !isFirst || words.length > 1;
}

const NAMED_RHYTHM =
  /^(?:(?:Every|Each) (?:Day|Night|Week|Month|Year|Morning|Evening|Hour|Minute)|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day (?:Morning|Afternoon|Evening|Night)s)$/;

/** "read Every Day", where only the words of the name have capitals. */
export const isNamedRhythm = (written: string, start: number, end: number): boolean =>
  /^(?:Daily|Weekly|Monthly)$/.test(written.slice(start, end))
    ? /\S (?:The|the) $/.test(written.slice(0, start))
    : NAMED_RHYTHM.test(written.slice(start, end)) && /(?:^|\s)\p{Ll}\S* (?:The )?$/u.test(written.slice(0, start));

/** "read Tuesdays with Morrie": a capital after one of these may begin the name of a work. */
const ENJOYING = /(?:^|\s)(?:read|re-?read|watch|re-?watch|stream|listen to|play|see)\s$/i;
export const isWork = (written: string, start: number): boolean =>
  /^\p{Lu}\p{Ll}/u.test(written.slice(start, start + 2)) &&
  ENJOYING.test(written.slice(Math.max(0, start - 12), start));

const BUYING =
  /(?:^|\s)(?:buy|order|get|grab|pick up|bring|sell|ship|pack|print|return|purchase|need|collect|fetch|make|bake|find|replace|install|pre-?order|add|count|wash|charge|fix|plant)\s+(?:the |another |about |some )?$/;
const ENDS = new RegExp(
  String.raw`^(?:${PHRASE_END}|\s+(?:around|about|between|after|as|so|because|midnight|midday|half|quarter|an?\s+quarter|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty)\b)`,
  'u',
);
const PLURAL_NOUN =
  /^\s+(?!this\b|always\b|across\b|versus\b|previous\b|various\b|plus\b|yes\b|bus\b|gas\b|its\b|his\b|us\b|was\b|is\b|as\b)\p{L}{2,}(?<![su'’i])s(?![\p{L}'’])/u;
const FOLLOWED_BY_WORD = /^\s+\p{L}{2}/u;

export const isFollowedByName = (written: string, end: number): boolean =>
  NEXT_IN_NAME.test(written.slice(end, end + NEARBY));
export const isFollowedByNoun = (after: string): boolean => FOLLOWED_BY_WORD.test(after) && !ENDS.test(after);
export const isFollowedByPlural = (after: string): boolean => PLURAL_NOUN.test(after) && !ENDS.test(after);

/** "buy 2 may flowers": the number counts what follows. */
export function isCount(before: string, words: string, after: string): boolean {
  if (!/^\d+\s/.test(words) || !isFollowedByNoun(after)) return false;
  if (BUYING.test(before)) return true;
  // "2 may flowers" and "cut 10 pm cables", but not "2 june taxes".
  const isVerb =
    /^\s*(?:may|mar|march)?\s*$/.test(words.replace(/^\d+\s+/, '').replace(/^[ap]m$/, '')) &&
    /^\s*\S*\s*$/.test(before);
  return isVerb && isFollowedByPlural(after);
}

/** Things that are counted or measured beside a number: "saturday 5 mile run", "friday 3 eggs". */
const MEASURE =
  /^\s*(?:[%°€$£]|(?:k|km|kms|mile|miles|kg|kilo|kilos|g|mg|ml|l|lbs?|pounds?|litres?|liters?|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|nights?|people|men|women|children|guests|persons?|pages?|laps?|reps?|sets?|rounds?|course|way|x|times|percent|star|bed|seater|inch(?:es)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|more|other|of|or|to)(?![\p{L}]))/u;

/** Whether a bare number after a day can be an hour. */
export const isHourLike = (after: string): boolean => !MEASURE.test(after) && !isFollowedByPlural(after);
