/** A promise of the service that was not kept. */
export class Violation extends Error {
  override readonly name = 'Violation';
  /** The invariant. A shorter story counts as the same violation if it breaks the same invariant. */
  readonly invariant: string;

  constructor(invariant: string, message: string) {
    super(message);
    this.invariant = invariant;
  }
}
