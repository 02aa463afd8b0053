/** HTTP's Retry-After, in milliseconds from now: a number of seconds or a date. Nonsense counts as absent. */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // A date begins with the name of a day; what Date.parse makes of "-5" or "1.5" is some day of a past year.
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
