import type { Piece } from '../simulation/break.ts';

/** A deliberate break of one room of the house, which the tests of that room must notice. */
export interface RoomBreak extends Piece {
  /** What the code does wrong. */
  readonly name: string;
  /** What a person or an operator loses by it. */
  readonly promise: string;
  readonly file: string;
  /** A second piece to replace, if two places in the code ensure one rule; in the same file if it names none. */
  readonly also?: Piece & { readonly file?: string };
  /** Parts of the paths of the test files that should notice it. */
  readonly by: readonly string[];
  /** For what only PostgreSQL does. Otherwise the tests run on SQLite. */
  readonly engine?: 'postgres';
}
