/** Slips of fast typing and of dictation around a time, which leave no doubt: "5pmtomorrow", "at5pm", "3;30pm", "ten a m". */
import { COUNT_WORD } from './lexicon.ts';

const DAY = '(?:today|tonight|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)';
const CLOCK = String.raw`\d{1,2}(?:[:.][0-5]\d)?`;

const SLIPS: readonly (readonly [slip: RegExp, meant: string])[] = [
  [/\b(20\d\d-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z/g, '$1 $2 UTC'],
  [/\b(20\d\d-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?/g, '$1 $2'],
  [/(?<=\b\d{1,2});(?=[0-5]\d\s?[ap]m\b)/gi, ':'],
  [
    new RegExp(String.raw`(?<=\b(?:${CLOCK}|${COUNT_WORD}|thirty|fifteen|forty[\s-]five) )([ap])\.? m\b\.?`, 'gi'),
    '$1m',
  ],
  // "5ish", "1700 hours", "8pm-late".
  [new RegExp(String.raw`\b(?:(?:at|around|about) )?(${CLOCK}(?:\s?[ap]m)?)[\s-]?ish\b`, 'gi'), 'around $1'],
  [/\b([01]\d|2[0-3])([0-5]\d)\s?(?:hours|hrs)\b/gi, '$1:$2'],
  [/(?<=\d\s?[ap]m|\d:\d\d)\s?-\s?late\b/gi, ''],
  [/\b24:00\b/g, 'midnight'],
  // Months as a German calendar shortens them.
  [/(?<=\d\.? )dez(?:\.|\b)/gi, 'dec'],
  [/(?<=\d\.? )okt(?:\.|\b)/gi, 'oct'],
  [/(?<=\d\.? )mai\b/gi, 'may'],
  [/(?<=\d\.? )m(?:är|ae?r|r)z\b/gi, 'march'],
  // As in a text message.
  [/\b2mor?r?ow?\b/gi, 'tomorrow'],
  [/\b2ni(?:te|ght)\b/gi, 'tonight'],
  [/\bnxt(?= (?:week|month|mon|tue|wed|thu|fri|sat|sun))/gi, 'next'],
  [/\bb4(?= \d)/gi, 'before'],
  // The keys beside those of "pm" and "am", and a key that was pressed twice.
  [/(?<=\b(?:1[0-2]|0?[1-9])(?:[:.][0-5]\d)?)(?:pn|om|lm|pmm|ppm)\b/gi, 'pm'],
  [/(?<=\b(?:1[0-2]|0?[1-9])(?:[:.][0-5]\d)?)(?:sm|qm|amm|aam)\b/gi, 'am'],
  [new RegExp(String.raw`(?<=\b${CLOCK}\s?[ap]m)(?=(?:${DAY}|every|daily)\b)`, 'gi'), ' '],
  [new RegExp(String.raw`(?<=\b${DAY})(?=at\b|at\d|${CLOCK}\s?[ap]m\b|\d{1,2}:[0-5]\d)`, 'gi'), ' '],
  [new RegExp(String.raw`(?<=\b(?:mon|tue|wed|thu|fri|sat|sun))(?=${CLOCK}\s?[ap]m\b|\d{1,2}:[0-5]\d)`, 'gi'), ' '],
  [new RegExp(String.raw`(?<=(?:^|\s)at)(?=${CLOCK}(?:\s?[ap]m)?(?:\s|$))`, 'gi'), ' '],
];

/** Most texts have none of them. */
const HAS_SLIP =
  /ish\b|\d\.? (?:dez|okt|mai|m)|hours|hrs|-\s?late|24:00|nxt|\d;|\d\s?[ap]m[a-z]|[ap]\.? m\b|\d[a-z]{2}|day\S|tonight\S|tomorrow\S|[a-z]\d|\dT\d/i;

export function tidyTyping(text: string): string {
  if (!HAS_SLIP.test(text)) return text;
  let tidy = text;
  for (const [slip, meant] of SLIPS) tidy = tidy.replaceAll(slip, meant);
  return tidy;
}
