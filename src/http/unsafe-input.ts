/**
 * Finds input that is unsafe to process or store and that schemas do not catch, in free-form objects too:
 * U+0000, which PostgreSQL cannot store; a lone surrogate, which is not a character; nesting that only an
 * attack has; and a key that would replace the prototype of an object. The search is not recursive, so no
 * input can overflow the stack.
 */
import type { InputProblem } from '../lib/errors.ts';

/** More than any sensible input has, and far less than would break serialisation. */
const MAX_DEPTH = 64;

type Location = readonly (string | number)[];

export function findUnsafeInput(part: string, input: unknown): InputProblem | undefined {
  const queue: { value: unknown; loc: Location }[] = [{ value: input, loc: [part] }];
  for (let next = queue.pop(); next; next = queue.pop()) {
    const problem = problemWith(next.value, next.loc);
    if (problem) return problem;
    for (const [key, value] of childrenOf(next.value)) {
      if (mayBeUnsafe(value)) queue.push({ value, loc: [...next.loc, key] });
    }
  }
  return undefined;
}

function childrenOf(value: unknown): Iterable<[string | number, unknown]> {
  if (Array.isArray(value)) return value.entries();
  return isObject(value) ? Object.entries(value) : [];
}

/** Safe values are skipped, so that a long array of them does not fill the queue. */
const mayBeUnsafe = (value: unknown) => isObject(value) || (typeof value === 'string' && !isSafeText(value));

function problemWith(value: unknown, loc: Location): InputProblem | undefined {
  if (typeof value === 'string') return isSafeText(value) ? undefined : unsafeText(loc);
  if (!isObject(value)) return undefined;
  if (loc.length > MAX_DEPTH)
    return { type: 'too_deep', loc: loc.slice(0, 2), msg: `Nested deeper than ${MAX_DEPTH} levels` };
  if (Array.isArray(value)) return undefined;
  if (Object.hasOwn(value, '__proto__')) return { type: 'value_error', loc, msg: 'No field may be named __proto__' };
  return Object.keys(value).every(isSafeText) ? undefined : unsafeText(loc);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isSafeText = (text: string) => !text.includes('\0') && text.isWellFormed();

const unsafeText = (loc: Location): InputProblem => ({
  type: 'string_unicode',
  loc,
  msg: 'Text may contain neither U+0000 nor a lone surrogate',
});
