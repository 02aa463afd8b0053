/** Finds a task that counts from when it was last done: "10 days after I last did it", "6 weeks after the last haircut". */
import type { FoundRule } from './found-rule.ts';
import { COUNT, numberOf } from './lexicon.ts';
import { PHRASE_END, type Reader, wholeWords } from './remaining-text.ts';
import { everySoMany } from './rhythms.ts';

const DONE_AGAIN =
  '(?:time|one|dose|pill|tablet|change|wash|clean|watering|visit|appointment|check-?up|service|inspection|session|treatment|cut|trim|refill|replacement|payment|occurrence)';
const LAST = '(?:last|previous|latest|prior|most recent)';
const WHOSE = '(?:the |my |our |its |his |her |their )?';
const OBJECT = '(?: (?:it|them|this|that|one|him|her))?';
const SUBJECT = "(?:i|we|you|it|they|he|she)(?:['’](?:ve|s|m|re|d))?";
const HELPING = '(?: (?:was|were|is|are|am|have|has|had|been|got))*';
/** The words leave no doubt that they mean the task itself. */
const ITSELF = [
  'completion',
  `${WHOSE}${LAST} ${DONE_AGAIN}(?: (?:i|we) [a-z]+${OBJECT})?`,
  `(?:each|every) (?:time|dose|one|${DONE_AGAIN})`,
  'finishing(?: it)?',
  'doing it',
  `(?:${SUBJECT}${HELPING} )?(?:done|completed?|finished)(?: it)?`,
  `${SUBJECT}${HELPING} last [a-z]+${OBJECT}`,
  `(?:i|we) (?:did|do) it(?: last)?`,
  `(?:i|we) (?:[a-z]+ )(?:the last one|it last)`,
].join('|');
/** The words mean the task if its title has them too, and may mean something else if not. */
const PERHAPS = [
  `${WHOSE}${LAST} (?<again>[a-z]{3,})`,
  `(?:each|every) (?<again>[a-z]{3,})${PHRASE_END}`,
  `(?:i|we) (?<again>[a-z]{3,})(?: it| them)`,
  `(?:it|they)(?:['’](?:s|ve|re))?${HELPING} (?<again>[a-z]+ed)`,
  '(?<again>[a-z]{3,}ing)(?: it| them)?',
];
/** Beside a rule the dose can only be the task itself. */
const TAKEN = `(?:${SUBJECT}${HELPING} )?taken${OBJECT}|(?:taking|(?:i|we) (?:take|took)) (?:it|one|them)`;
/** Units and days after "last" name the past: "2 days after last friday". */
const NO_DATE = '(?! (?:the )?last (?:day|night|week|weekend|month|year|[a-z]+day|of)s?(?![a-z]))';
const UNIT = '(?<unit>minute|min|hour|hr|h|day|week|fortnight|month|quarter|year)s?';
const START = `(?<count>${COUNT}) ${UNIT} (?:after|from|since|following)${NO_DATE} (?:when )?`;

const ruleOf = (count = '', unit = ''): FoundRule => ({
  rule: { ...everySoMany(unit, numberOf(count)), from: 'completion' },
});

/** Whether a word of the rest of the text begins in the same way: "mow" and "mowing". */
function isInTitle(again: string, input: string, words: string): boolean {
  const stem = again.slice(0, Math.max(3, Math.min(5, again.replace(/(?:ing|ed)$/, '').length - 1)));
  return new RegExp(String.raw`(?<![a-z])${stem}|${again}(?![a-z])`).test(input.replace(words, ' '));
}

export const COMPLETION_RULES: readonly Reader<FoundRule>[] = [
  [wholeWords(`${START}(?:${ITSELF})`), ({ groups }) => ruleOf(groups?.count, groups?.unit)],
  ...PERHAPS.map(
    (source): Reader<FoundRule> => [
      wholeWords(START + source),
      ({ 0: words, input = '', groups }) => {
        const rule = ruleOf(groups?.count, groups?.unit);
        if (isInTitle(groups?.again ?? '', input, words)) return rule;
        return / last /.test(words) ? { ...rule, guesses: ['words'] } : undefined;
      },
    ],
  ),
];

/** Beside a rule: "every 10 days after I last did it". */
export const COMPLETION: Reader<boolean> = [
  wholeWords(
    `(?:after|when|once|from|since)(?: when)? (?:${ITSELF}|${SUBJECT} (?:complete|finish)(?: it)?|completing(?: it)?|${TAKEN})`,
  ),
  () => true,
];
