/** Finds the name that somebody probably meant: other capitals or underscores, or a letter or two wrong. */
export function findNearName(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((candidate) => ({ candidate, distance: distanceBetween(fold(name), fold(candidate)) }))
    .filter(({ candidate, distance }) => distance <= mostDistance(fold(name), fold(candidate)));
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.candidate;
}

const fold = (name: string) => name.toUpperCase().replaceAll(/[_.-]/g, '');

/** Names of four letters are all close to each other, so there only two swapped letters count as a mistake. */
function mostDistance(name: string, candidate: string): number {
  const shorter = Math.min(name.length, candidate.length);
  if (shorter >= 8) return 2;
  return shorter >= 5 || lettersOf(name) === lettersOf(candidate) ? 1 : 0;
}

const lettersOf = (name: string) => [...name].toSorted().join('');

/** How many letters have to be added, removed, replaced or swapped with the next one. */
function distanceBetween(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const steps = [at(row, j - 1) + 1, at(last, j) + 1, at(last, j - 1) + (isSame ? 0 : 1)];
      row.push(Math.min(...steps, ...(isSwapped ? [at(before, j - 2) + 1] : [])));
    }
    before = last;
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number) => row[index] ?? Number.POSITIVE_INFINITY;
