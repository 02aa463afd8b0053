/**
 * The size of a test run: `npm test` is small, `npm run test:full` runs the large sizes as well.
 * A small size is chosen so that the test can still fail for the same reason.
 */
import { type TestContext, test } from 'node:test';

export const IS_FULL = process.env.CRESCENDO_TEST_SIZE === 'full';

export function sized<T>(small: T, full: T): T {
  return IS_FULL ? full : small;
}

/** For a slow test beside one of the same room that stays in the small run. */
export function testInFull(name: string, run: (context: TestContext) => Promise<void>): void {
  if (IS_FULL) test(name, run);
}
