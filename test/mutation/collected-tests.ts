/** Takes the place of `node:test` in the tests of a group, so that they can be run again for every mutant. */
import { mock } from 'node:test';

type Run = (context: { readonly mock: typeof mock }) => unknown;

export interface CollectedTest {
  readonly name: string;
  readonly run: () => Promise<void>;
}

let collected: CollectedTest[] = [];

export function test(name: string, run: Run): void {
  collected.push({ name, run: () => runWithMocks(run) });
}

async function runWithMocks(run: Run): Promise<void> {
  try {
    await run({ mock });
  } finally {
    mock.restoreAll();
  }
}

/** The tests that were defined since the last call. */
export function takeTests(): CollectedTest[] {
  const tests = collected;
  collected = [];
  return tests;
}
