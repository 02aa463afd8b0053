/** Feasts with a fixed date, by the pattern of their names. Feasts that move, as Easter, are in `moving-feasts.ts`. */
const S = "(?:['’]?s)?";
const FEASTS: readonly (readonly [source: string, month: number, day: number])[] = [
  [`new years?${S} eve|nye|silvester`, 12, 31],
  [`new years?${S} day|new years|new year['’]s`, 1, 1],
  ['epiphany|three kings(?: day)?', 1, 6],
  [`burns${S} night`, 1, 25],
  ['australia day', 1, 26],
  ['groundhog day', 2, 2],
  [`(?:st\\.? |saint )?valentine${S}(?: day)?`, 2, 14],
  [`(?:international )?women${S} day`, 3, 8],
  ['pi day', 3, 14],
  [`(?:st\\.?|saint) patrick${S} day|st\\.? paddy${S} day`, 3, 17],
  [`april fools?['’]?s?(?: day)?`, 4, 1],
  ['earth day', 4, 22],
  [`(?:st\\.?|saint) george${S} day`, 4, 23],
  [`king${S} day`, 4, 27],
  ['may day', 5, 1],
  ['juneteenth', 6, 19],
  ['canada day', 7, 1],
  ['independence day|(?:the )?fourth of july', 7, 4],
  ['bastille day', 7, 14],
  [`hallowe['’]?en`, 10, 31],
  [`all saints['’]?s? day`, 11, 1],
  [`all souls['’]?s? day`, 11, 2],
  ['guy fawkes(?: (?:night|day))?|bonfire night', 11, 5],
  [`veterans?['’]?s? day|remembrance day|armistice day`, 11, 11],
  [`(?:st\\.? |saint )nicholas${S}(?: day)?`, 12, 6],
  ['(?:christmas|xmas) eve', 12, 24],
  ['(?:christmas|xmas)(?: day)?', 12, 25],
  [`boxing day|(?:st\\.? |saint )stephen${S} day`, 12, 26],
];

export const FEAST = `(?:${FEASTS.map(([source]) => source).join('|')})`;

const PATTERNS = FEASTS.map(([source, month, day]) => [new RegExp(`^(?:${source})$`), { month, day }] as const);

export const feastOf = (name: string): { readonly month: number; readonly day: number } | undefined =>
  PATTERNS.find(([pattern]) => pattern.test(name))?.[1];
