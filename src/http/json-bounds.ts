/**
 * Checks the depth and the number of values of a JSON text in one pass over its bytes, before it is parsed.
 * Parsing and validating a value costs a hundred times as much as its bytes: a body of nothing but brackets
 * or keys would block the service for half a second, and a file of them would take gigabytes.
 */
import type { InputProblem } from '../lib/errors.ts';

/** More than any sensible input has, and far less than would break serialisation. */
export const DEEPEST = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

export interface JsonBounds {
  readonly values: number;
  /** Bounded apart from other values, because an object of many different keys costs the most. */
  readonly fields: number;
}

export function findExcess(bytes: Uint8Array, most: JsonBounds): InputProblem | undefined {
  let depth = 0;
  let values = 1;
  let fields = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    switch (bytes[index]) {
      case QUOTE:
        index = endOfString(bytes, index);
        break;
      case COMMA:
        values += 1;
        break;
      case COLON:
        fields += 1;
        break;
      case OPENING_BRACKET:
      case OPENING_BRACE:
        depth += 1;
        values += 1;
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        depth -= 1;
    }
    if (depth > DEEPEST) return excess('too_deep', `Nested deeper than ${DEEPEST} levels`);
    if (values > most.values || fields > most.fields) break;
  }
  if (values > most.values) return excess('too_long', `More than ${most.values} values`);
  return fields > most.fields ? excess('too_long', `More than ${most.fields} fields`) : undefined;
}

const excess = (type: string, msg: string): InputProblem => ({ type, loc: ['body'], msg });

function endOfString(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index;
}
