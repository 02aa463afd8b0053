import { type TestContext, test } from 'node:test';

type Define = (name: string, body: (t: TestContext) => void | Promise<void>) => void;

/** Only the superuser can change the owner of a file, so other users skip these tests. */
export const testAsSuperuser: Define = (name, body) => {
  if (process.getuid?.() === 0) void test(name, body);
};
