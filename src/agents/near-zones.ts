/** Names of time zones that are close to what somebody wrote. Pure. */

const MOST_NEAR = 5;
const MOST_COMPARED = 64;
/** How alike two names are that one may be a misspelling of the other, from 0 to 1. */
const ALIKE = 0.5;
const CONTAINED = 2;
const SAME = 3;

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9/]+/g, ' ')
    .trim();

const placeOf = (whole: string): string => whole.slice(whole.lastIndexOf('/') + 1).trim();

/** The list of the platform has these by their former names. */
const RENAMED = ['Asia/Kolkata', 'Asia/Ho_Chi_Minh', 'Asia/Kathmandu', 'Asia/Yangon', 'Europe/Kyiv'];

let zones: readonly { readonly name: string; readonly whole: string }[] | undefined;

/** The same place first, then names that contain it, then misspelt ones. */
export function nearZones(written: string): string[] {
  zones ??= [...Intl.supportedValuesOf('timeZone'), ...RENAMED].map((name) => ({ name, whole: plain(name) }));
  const wanted = plain(written.slice(0, MOST_COMPARED));
  const scored = zones.map(({ name, whole }) => ({ name, score: scoreOf(wanted, whole) }));
  // A place that exists is no misspelling of another.
  const least = scored.some(({ score }) => score >= CONTAINED) ? CONTAINED : ALIKE;
  return scored
    .filter(({ score }) => score >= least)
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST_NEAR)
    .map(({ name }) => name);
}

function scoreOf(wanted: string, whole: string): number {
  const [place, city] = [placeOf(wanted), placeOf(whole)];
  if (place.length < 3) return 0;
  if (place === city) return SAME;
  if (` ${wanted.replaceAll('/', ' ')} `.includes(` ${city} `) || whole.split(/[ /]/).includes(place)) return CONTAINED;
  return alikeness(place, city);
}

/** The share of letters and of pairs of letters that both names have. */
function alikeness(one: string, other: string): number {
  const [left, right] = [piecesOf(one), piecesOf(other)];
  const shared = [...left].filter((piece) => right.has(piece)).length;
  return (2 * shared) / (left.size + right.size);
}

const piecesOf = (text: string): Set<string> =>
  new Set([...text].flatMap((letter, index) => [letter, `${text[index - 1] ?? '^'}${letter}`]));
