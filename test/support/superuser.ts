import { type TestContext, test } from 'node:test';

type Define = (name: string, body: (t: TestContext) => void | Promise<void>) => void;

/** Only the superuser can give files away: for anybody else there is nothing here to be tested. */
export const testAsSuperuser: Define = (name, body) => {
  if (process.getuid?.() === 0) void test(name, body);
};
