/** Takes the place of `node:test` in the tests of a group, so that they can be run again for every mutant. */
export interface CollectedTest {
  readonly name: string;
  readonly run: () => unknown;
}

let collected: CollectedTest[] = [];

export function test(name: string, run: () => unknown): void {
  collected.push({ name, run });
}

/** The tests that were defined since the last call. */
export function takeTests(): CollectedTest[] {
  const tests = collected;
  collected = [];
  return tests;
}
