/**
 * Words of a title that say when, and that no reader took: "friday, no, saturday 5pm" leaves "friday". The person is
 * told of them, because the moment that was read may be another one than was meant.
 */
import { DAY_NAME, MONTH, spaced } from './lexicon.ts';
import { GAP, PHRASE_END } from './remaining-text.ts';
import { around, isCount, isFollowedByName, isFollowedByNoun } from './title-words.ts';
import { NO_DAY } from './works.ts';

const CLOCK = String.raw`\d{1,2}(?:[:.;][0-5]\d)?\s?(?:[ap]\s?\.?m\.?|pn|om|uhr|o['’]?clock)|(?:[01]?\d|2[0-3])[:;][0-5]\d|(?:at|@)\s?\d{1,2}(?=\s*(?:$|[,.!?]|no\b|or\b))`;
const ORDINAL = String.raw`\d{1,2}(?:st|nd|rd|th)|(?:twenty|thirty)[\s-](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|(?:six|seven|eigh|nin|ten|eleven|twelf|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twentie|thirtie)th`;
const UNIT = '(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|months?|years?)';
const NUMBER = String.raw`(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|sixty|ninety|few|couple(?: of)?|several)`;
const FOREIGN = String.raw`heute|morgen|[üu]bermorgen|demain|aujourd['’]hui|hoy|ma[ñn]ana|oggi|domani|vandaag|jede[nrs]?`;

const UNREAD = new RegExp(
  String.raw`(?<![\p{L}\d_@#/.'’-])(?:${spaced(
    [
      `(?:last )?${DAY_NAME}s?`,
      `(?:last )?(?:mon|tues?|wed|thu(?:rs?)?|fri)${PHRASE_END}`,
      'tomorrow|tonight|today',
      CLOCK,
      `(?:${ORDINAL})(?: of)? (?:${MONTH}|(?:the )?month)|(?:${MONTH}) (?:the )?(?:${ORDINAL}|\\d{1,2})|\\d{1,2}\\.? (?:${MONTH})`,
      `(?:on|by|until) the (?:${ORDINAL})`,
      `(?:every|each) (?:(?:${NUMBER}|other|single|last|first|second|third|fourth|\\d{1,2}(?:st|nd|rd|th)) )?(?:work(?:ing)? |business )?(?:[a-z]{3,9}day|${UNIT}|dya|weke|mnth|morning|evening|afternoon|weekend|spring|summer|autumn|winter|season)s?`,
      `(?:once|twice|thrice|${NUMBER} times|${NUMBER}x|${NUMBER} to ${NUMBER} times) (?:a|an|per|each|every|in a|this|next) ${UNIT}`,
      `in ${NUMBER}(?: (?:or|to) ${NUMBER})? ${UNIT}|${NUMBER} ${UNIT} (?:from|before|after|later|prior|ago)`,
      '(?:this|next|the|same|following|coming|on|over the) (?:week|weekend|month|quarter|year)(?: after next)?(?! of)',
      '(?:the )?(?:week|weekend|month) after next|same time|this time|midweek|mid week',
      '(?:in|during|at|after|before|by|around) (?:the )?(?:early |late )?(?:morning|afternoon|evening|night|lunch|lunchtime|dinner|breakfast|work|school|bed|bedtime|noon|midnight)',
      'with (?:breakfast|lunch|dinner)|in an? (?:bit|while|moment|minute|sec)|^in \\d{1,2}|^(?:before|after) \\d{1,2}(?= \\p{L})|while awake',
      `(?:${MONTH}|spring|summer|autumn|winter) 20\\d\\d|in 20\\d\\d|in (?:the )?(?:fall|autumn|spring|summer|winter)`,
      'january|february|september|october|november|december',
      String.raw`\d{1,2}\.\d{1,2}\.(?=\s|$)`,
      `(?:until|till|til)(?=\\s*${GAP})|(?:until|till|til) (?:the )?(?:noon|midnight|morning|afternoon|evening|night|bedtime|\\d{1,2})`,
      '(?:morning|noon|evening)s?,? and (?:noon|evening|night|afternoon)s?',
      '(?:at|on|by|before|after|during|for|until|every|each) (?:easter|ramadan|eid|hanukkah|passover|diwali|lent)',
      "^(?:christmas|new year['’]?s?) eve",
      'except (?:on |for )?(?:christmas|easter|new year)',
      FOREIGN,
      String.raw`\d{1,2}\s?[-–]\s?\d{1,2}\s?(?:h|uhr)|\d{1,2}x (?:(?:a|per) )?week|in \d{1,3}\s?[-–]\s?\d{1,3} ${UNIT}`,
      String.raw`alternate days|in half a year|every so often|(?:morning|evening|night) at \d{1,2}|mid(?=\s*${GAP})`,
      `(?:${NUMBER}|quarter|twenty|half) (?:to|past) (?:${NUMBER})(?=\\s*(?:$|[,${GAP}]))`,
    ].join('|'),
  )})(?![\p{L}\d_]|['’]\p{L}|[:./-]\d|-\p{L})`,
  'giu',
);

/** A day or a month has a capital anyway: "the 3rd of May". */
const CAPITAL_WITHIN = new RegExp(String.raw` ${NO_DAY}\p{Lu}\p{Ll}`, 'u');
const DESCRIBED = /\b(?:the|my|our|your|his|her|their|a)\s+$/i;
const AFTER_NAME = /(?<!^\s*|\p{L})\p{Lu}[\p{L}'’]+ $/u;

/** "the friday meeting", "28 Days Later", "USA Today", "Sunday Night Football" and "order 10 pm cables" say what, not when. */
function isTitle(text: string, index: number, words: string): boolean {
  const [before, after] = around(text, index, words);
  if (isCount(before, words, after)) return true;
  if (CAPITAL_WITHIN.test(words)) return true;
  if (/^\p{Lu}/u.test(words) && (isFollowedByName(text, index + words.length) || AFTER_NAME.test(before))) return true;
  return DESCRIBED.test(before) && isFollowedByNoun(after);
}

/** A number before the day that was read: "wake 7 tomorrow". Not in "Apollo 13 tonight" nor "a table for 4 on friday". */
const HOUR_BEFORE_DAY = new RegExp(
  String.raw`(?<=^|[a-z] )(?<!(?:for|of|to|room|platform|gate|level|chapter|page|size|version|bus|line|route|floor|unit|part|episode|season|step|number|no|v) )(?:1[0-2]|[1-9])(?:\s?[-–]\s?(?:1[0-2]|[1-9]))?(?= ?${GAP})`,
);

/** The first of them. `read` says what was understood: without a date "last friday" is the past, and says what. */
export function unreadIn(
  text: string,
  read: { readonly hasDate: boolean; readonly hasTime: boolean },
): string | undefined {
  for (const { 0: words, index } of text.matchAll(UNREAD)) {
    const isPast = !read.hasDate && /^last /i.test(words);
    if (!isPast && !isTitle(text, index, words)) return words;
  }
  return read.hasDate && !read.hasTime ? HOUR_BEFORE_DAY.exec(text)?.[0] : undefined;
}
