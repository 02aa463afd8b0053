/** The worlds notice each deliberate break, by an invariant that names it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { sized } from '../support/size.ts';
import { BREAKS, brokenSources } from './breaks.ts';

/** The others take minutes, so they run in a full run only. */
const QUICK = ['nudges come an hour early'];

onlyOn('sqlite', () => {
  test('every break fits the code as it is, also those that only a full run tries', () => {
    for (const one of BREAKS) assert.doesNotThrow(() => brokenSources(one), one.name);
  });

  for (const { name, noticedBy, from = 1 } of BREAKS.filter((one) => sized(QUICK.includes(one.name), true))) {
    test(`a break is noticed: ${name}`, () => {
      const args = [
        join(import.meta.dirname, 'simulate.ts'),
        '--broken',
        name,
        '--from',
        `${from}`,
        '--seeds',
        '800',
        '--unshrunk',
      ];
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      const promise = /^The promise: (.*)$/m.exec(stdout)?.[1];
      assert.ok(promise !== undefined && noticedBy.includes(promise), stdout + stderr);
    });
  }
});
