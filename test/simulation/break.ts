/** A deliberate break: pieces of the service that are replaced, and who must notice it. */
export interface Piece {
  readonly piece: string;
  readonly replacement: string;
}

export interface Break extends Piece {
  /** What the code does wrong. */
  readonly name: string;
  readonly file: string;
  /** A second piece to replace, if two places in the code ensure one rule; in the same file if it names none. */
  readonly also?: Piece & { readonly file?: string };
  /** The first of the seeds that notice it, if it takes many. */
  readonly from?: number;
  /** The invariants that may notice it first. */
  readonly noticedBy: readonly string[];
}
