/** A promise of the service that was not kept. */
export class Violation extends Error {
  override readonly name = 'Violation';
  /** The invariant, by which a shorter story is recognised as the same. */
  readonly invariant: string;

  constructor(invariant: string, message: string) {
    super(message);
    this.invariant = invariant;
  }
}
