/**
 * Finds what no schema sees, in free-form objects too: U+0000, which PostgreSQL cannot store; a
 * lone surrogate, which is no character; nesting that only an attack would have; and a key that
 * would replace the prototype of whatever it is assigned to. Never recurses, so that no input can
 * overflow the stack.
 */
import type { InputProblem } from '../lib/errors.ts';

/** Deeper than anything sensible, and far from where serialising the value again would fail. */
const DEEPEST = 64;

type Location = readonly (string | number)[];

export function findUnstorable(part: string, input: unknown): InputProblem | undefined {
  const waiting: { value: unknown; loc: Location }[] = [{ value: input, loc: [part] }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const problem = problemWith(next.value, next.loc);
    if (problem) return problem;
    for (const [key, value] of childrenOf(next.value)) {
      if (needsALook(value)) waiting.push({ value, loc: [...next.loc, key] });
    }
  }
  return undefined;
}

function childrenOf(value: unknown): Iterable<[string | number, unknown]> {
  if (Array.isArray(value)) return value.entries();
  return isObject(value) ? Object.entries(value) : [];
}

/** Most values are fine and are passed by, so that a long array of them needs no queue. */
const needsALook = (value: unknown) => isObject(value) || (typeof value === 'string' && !isStorable(value));

function problemWith(value: unknown, loc: Location): InputProblem | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : unstorableText(loc);
  if (!isObject(value)) return undefined;
  if (loc.length > DEEPEST)
    return { type: 'too_deep', loc: loc.slice(0, 2), msg: `Nested deeper than ${DEEPEST} levels` };
  if (Array.isArray(value)) return undefined;
  if (Object.hasOwn(value, '__proto__')) return { type: 'value_error', loc, msg: 'No field may be named __proto__' };
  return Object.keys(value).every(isStorable) ? undefined : unstorableText(loc);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

const unstorableText = (loc: Location): InputProblem => ({
  type: 'string_unicode',
  loc,
  msg: 'Text may contain neither U+0000 nor a lone surrogate',
});
