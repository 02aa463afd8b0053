/** `share` is 0.5 for the median, 0.99 for the 99th percentile. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** The median, and in brackets the lowest and the highest value. */
export function spread(values: readonly number[], unit = ''): string {
  const [middle, low, high] = [median(values), Math.min(...values), Math.max(...values)].map(round);
  return values.length > 1 ? `${middle}${unit} (${low}–${high})` : `${middle}${unit}`;
}

/** Three significant digits, and thousands whole with a comma. */
export function round(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}
