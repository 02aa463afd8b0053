/** A choice that the words leave open: "mon or tue 10am", "at 3 or 4 pm", "5 or 6 june". The first is taken, as a guess. */
import { MONTH, spaced, TOMORROW, WEEKDAY } from './lexicon.ts';

const CLOCK = String.raw`\d{1,2}(?:[:.][0-5]\d)?`;
const HALF = String.raw`(?:\s?[ap]\.?m\.?\b)`;
const UNIT = '(?:minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)';
const PART = '(?:morning|afternoon|evening|night|noon|midday|midnight|lunchtime)';
const DAY = String.raw`(?:(?:(?:this|next) )?${WEEKDAY}|today|tonight|${TOMORROW}|the \d{1,2}(?:st|nd|rd|th)|\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}|${MONTH} \d{1,2}(?:st|nd|rd|th)?|${CLOCK}${HALF}|\d{1,2}:[0-5]\d|(?:(?:this|next) )(?:week|weekend|month)|noon|midnight)(?: ${PART})?`;
const OR = String.raw`(?:\s*,?\s+or\s+(?:maybe\s+|else\s+)?(?:on\s+|at\s+)?|\s+/\s+)`;
const EITHER = String.raw`(?:either (?:on |at )?)?`;
const START = String.raw`(?<![\p{L}\d:./-])`;
const END = String.raw`(?![\p{L}\d]|[:./-]\d)`;

/** Each takes what stands before both, one of them, and what stands after both. */
const CHOICES: readonly RegExp[] = [
  String.raw`(?<lead>)${EITHER}(?<one>${DAY})(?:\s*,\s*${DAY}){0,3}${OR}(?<two>${DAY})(?<tail>)`,
  // "at 9 or 10", "in 2 or 3 days", "5 or 6 june", "june 5 or 6".
  String.raw`(?<lead>(?:at|around|about|by|from|in|within|on the|the|every) |${MONTH} |(?:${WEEKDAY}|today|tonight|${TOMORROW}) (?:at )?)(?<one>${CLOCK})${OR}(?<two>${CLOCK})(?<tail>${HALF}| o['’]?clock| ${UNIT}|(?:st|nd|rd|th)| ${MONTH}| (?:on |this |next )?(?:${WEEKDAY}|today|tonight|${TOMORROW})|(?=\s*$))`,
  String.raw`(?<lead>)(?<one>${CLOCK})${OR}(?<two>${CLOCK})(?<tail>${HALF}| o['’]?clock)`,
  String.raw`(?<lead>)(?<one>\d{1,2}(?:st|nd|rd|th)?)${OR}(?<two>\d{1,2}(?:st|nd|rd|th)?)(?<tail>(?: of)? ${MONTH})`,
  String.raw`(?<lead>(?:on )?)(?<one>the \d{1,2}(?:st|nd|rd|th))${OR}(?<two>(?:the )?\d{1,2}(?:st|nd|rd|th))(?<tail>)`,
  String.raw`(?<lead>)(?<one>this|next)${OR}(?<two>next|this)(?<tail> (?:week|weekend|month|${WEEKDAY}))`,
  String.raw`(?<lead>(?:in|next|this|early|by) )(?<one>${MONTH}|spring|summer|morning|afternoon|evening)${OR}(?<two>${MONTH}|morning|afternoon|evening)(?<tail>)`,
  String.raw`(?<lead>(?:${WEEKDAY}|today|${TOMORROW}|in the) )(?<one>${PART})${OR}(?:in the )?(?<two>${PART})(?<tail>)`,
].map((source) => new RegExp(`${START}${spaced(source)}${END}`, 'iu'));

const ENDS_IN_PART = /\s(?:morning|afternoon|evening|night)$/i;

/** "thursday or friday night" is in the night on both days. */
const withPartOf = (two: string, one: string): string => {
  const [part = ''] = ENDS_IN_PART.exec(two) ?? [];
  return part && /day$|^(?:mon|tue|wed|thu|fri|sat|sun)|tomorrow$/i.test(one) ? one + part : one;
};

/** The text with the first of them, and with the second. Undefined for a text that leaves no choice. */
export function alternativesIn(text: string): readonly [first: string, second: string] | undefined {
  if (!/\sor\s|\s\/\s/i.test(text)) return undefined;
  for (const pattern of CHOICES) {
    const match = pattern.exec(text);
    if (!match?.groups) continue;
    const { lead = '', two = '', tail = '' } = match.groups;
    const one = withPartOf(two, match.groups.one ?? '');
    const [before, after] = [text.slice(0, match.index), text.slice(match.index + match[0].length)];
    return [`${before}${lead}${one}${tail}${after}`, `${before}${lead}${two}${tail}${after}`];
  }
  return undefined;
}
