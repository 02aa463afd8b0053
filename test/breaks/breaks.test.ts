/** The breaks themselves run in `npm run breaks`. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brokenSources } from '../simulation/breaks.ts';
import { ROOMS } from './rooms.ts';

const ROOT = join(import.meta.dirname, '../..');
const files = globSync('{src,test,web/src}/**/*.test.ts', { cwd: ROOT });

for (const [room, breaks] of Object.entries(ROOMS)) {
  test(`every break of ${room} fits the code as it is, and names tests that are there`, () => {
    for (const one of breaks) {
      assert.doesNotThrow(() => brokenSources({ ...one, noticedBy: [] }), one.name);
      for (const word of one.by)
        assert.ok(
          files.some((file) => file.includes(word)),
          `${one.name}: ${word}`,
        );
    }
  });
}

test('no two breaks have one name', () => {
  const names = Object.values(ROOMS).flatMap((breaks) => breaks.map(({ name }) => name));
  assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted());
});
