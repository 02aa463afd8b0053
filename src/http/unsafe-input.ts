/**
 * Finds input that is unsafe to process or store and that schemas do not catch, in free-form objects too:
 * U+0000, which PostgreSQL cannot store; a lone surrogate, which is not a character; nesting that only an
 * attack has; and a key that would replace the prototype of an object. The search is not recursive, so no
 * input can overflow the stack.
 */
import type { InputProblem } from '../lib/errors.ts';
import { DEEPEST } from './json-bounds.ts';

interface Place {
  readonly value: unknown;
  readonly key: string | number;
  /** The place that contains this one. The path is built from it only for a problem. */
  readonly within: Place | undefined;
  readonly depth: number;
}

export function findUnsafeInput(part: string, input: unknown): InputProblem | undefined {
  if (input === undefined || input === null) return undefined;
  const queue: Place[] = [{ value: input, key: part, within: undefined, depth: 1 }];
  for (let place = queue.pop(); place; place = queue.pop()) {
    const problem = problemWith(place);
    if (problem) return problem;
    const { value } = place;
    if (Array.isArray(value))
      for (let index = 0; index < value.length; index += 1) enqueue(queue, place, index, value[index]);
    else if (isObject(value)) for (const [key, inner] of Object.entries(value)) enqueue(queue, place, key, inner);
  }
  return undefined;
}

/** Safe values are skipped, so that a long array of them does not fill the queue. */
function enqueue(queue: Place[], within: Place, key: string | number, value: unknown): void {
  const mayBeUnsafe = isObject(value) || (typeof value === 'string' && !isSafeText(value));
  if (mayBeUnsafe) queue.push({ value, key, within, depth: within.depth + 1 });
}

function problemWith(place: Place): InputProblem | undefined {
  const { value, depth } = place;
  if (typeof value === 'string') return isSafeText(value) ? undefined : unsafeText(place);
  if (!isObject(value)) return undefined;
  if (depth > DEEPEST)
    return { type: 'too_deep', loc: locationOf(place).slice(0, 2), msg: `Nested deeper than ${DEEPEST} levels` };
  if (Array.isArray(value)) return undefined;
  if (Object.hasOwn(value, '__proto__'))
    return { type: 'value_error', loc: locationOf(place), msg: 'No field may be named __proto__' };
  return Object.keys(value).every(isSafeText) ? undefined : unsafeText(place);
}

function locationOf(place: Place): (string | number)[] {
  const location: (string | number)[] = [];
  for (let at: Place | undefined = place; at; at = at.within) location.unshift(at.key);
  return location;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isSafeText = (text: string) => !text.includes('\0') && text.isWellFormed();

const unsafeText = (place: Place): InputProblem => ({
  type: 'string_unicode',
  loc: locationOf(place),
  msg: 'Text may contain neither U+0000 nor a lone surrogate',
});
