/** Reads fields of a JSON value of which nothing is known: a missing or wrong one is as if it were not there. */

export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

export function textOf(value: unknown, name: string): string {
  const text = fieldOf(value, name);
  if (typeof text === 'number' && Number.isFinite(text)) return String(text);
  return typeof text === 'string' ? text.trim() : '';
}

export function numberOf(value: unknown, name: string): number {
  const number = fieldOf(value, name);
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
}

export const isTrue = (value: unknown, name: string): boolean => fieldOf(value, name) === true;

export function listOf(value: unknown, name: string): readonly unknown[] {
  const list = fieldOf(value, name);
  return Array.isArray(list) ? list : [];
}

/** An instant as RFC 3339 has it; undefined for none, and for the year 1, which some programs write for none. */
export function instantOf(value: unknown, name: string): string | undefined {
  const text = textOf(value, name);
  if (text === '' || text.startsWith('0001-')) return undefined;
  try {
    const instant = Temporal.Instant.from(text);
    return instant.epochMilliseconds > 0 ? instant.toString() : undefined;
  } catch {
    return undefined;
  }
}
