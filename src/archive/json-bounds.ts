/**
 * Checks the depth and the number of values of a JSON document before it is parsed. A parsed value can
 * take a hundred bytes where its text takes two: a file of nothing but brackets would take gigabytes.
 */
import type { InputProblem } from '../lib/errors.ts';

const DEEPEST = 64;
/** A few times as many as the largest export that fits into an upload. */
const MOST_VALUES = 3_000_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
/** `[` and `{` differ in one bit only, and so do `]` and `}`. */
const [OPENING, CLOSING, BRACKET_MASK] = [0x5b, 0x5d, 0xdf];

export function findExcess(bytes: Uint8Array): InputProblem | undefined {
  let [depth, values] = [0, 1];
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) index = endOfString(bytes, index);
    else if (byte === COMMA) values += 1;
    else if ((byte & BRACKET_MASK) === OPENING) [depth, values] = [depth + 1, values + 1];
    else if ((byte & BRACKET_MASK) === CLOSING) depth -= 1;
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
