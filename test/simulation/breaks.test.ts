/** The worlds notice each deliberate break, by an invariant that names it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { sized } from '../support/size.ts';
import { BREAKS, brokenSources } from './breaks.ts';

/** The others take minutes, so they run in a full run only. */
const QUICK = ['nudges come an hour early'];
const MOST_OUTPUT = 10_000_000;

const run = (args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    // It exits with 1 if a promise is broken.
    execFile(process.execPath, args, { maxBuffer: MOST_OUTPUT }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });

onlyOn('sqlite', () => {
  test('every break fits the code as it is, also those that only a full run tries', () => {
    for (const one of BREAKS) assert.doesNotThrow(() => brokenSources(one), one.name);
  });

  // At the end of a full run, only this file still runs.
  describe('a break is noticed', { concurrency: availableParallelism() }, () => {
    for (const { name, noticedBy, from = 1 } of BREAKS.filter((one) => sized(QUICK.includes(one.name), true))) {
      test(name, async () => {
        const file = join(import.meta.dirname, 'simulate.ts');
        const output = await run([file, '--broken', name, '--from', `${from}`, '--seeds', '800', '--unshrunk']);
        const promise = /^The promise: (.*)$/m.exec(output)?.[1];
        assert.ok(promise !== undefined && noticedBy.includes(promise), output);
      });
    }
  });
});
