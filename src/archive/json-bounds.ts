/**
 * Looks over the bytes of a JSON document before it is parsed. What is parsed is held in memory value
 * by value, and two bytes can become a hundred: a file of nothing but brackets would take gigabytes.
 */
import type { InputProblem } from '../lib/errors.ts';

/** Deeper than anything sensible. */
const DEEPEST = 64;
/** A few times what the largest export has that fits the size. */
const MOST_VALUES = 3_000_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
/** `[` and `{`, `]` and `}`: each pair differs in one bit alone. */
const [OPENING, CLOSING, WITHOUT_CASE] = [0x5b, 0x5d, 0xdf];

export function findUnbounded(bytes: Uint8Array): InputProblem | undefined {
  let [depth, values] = [0, 1];
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) index = endOfString(bytes, index);
    else if (byte === COMMA) values += 1;
    else if ((byte & WITHOUT_CASE) === OPENING) [depth, values] = [depth + 1, values + 1];
    else if ((byte & WITHOUT_CASE) === CLOSING) depth -= 1;
    if (depth > DEEPEST) return { type: 'too_deep', loc: ['body'], msg: `Nested deeper than ${DEEPEST} levels` };
    if (values > MOST_VALUES) return { type: 'too_long', loc: ['body'], msg: `More than ${MOST_VALUES} values` };
  }
  return undefined;
}

function endOfString(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index;
}
