/** The demo of the readme, as somebody starts it who has just installed the service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onlyOn } from '../support/engines.ts';
import { testInFull } from '../support/size.ts';

const PROJECT = join(import.meta.dirname, '../..');
const LONGEST_MS = 120_000;
/** What one task goes through: the ladder climbs, quiet hours hold it, and Done ends it. */
const STORY = [
  'is due at',
  'a nudge',
  'firmer',
  'firmer',
  'firmer',
  'loud',
  'quiet until',
  'loud',
  'done, and silence',
];

onlyOn('sqlite', () => {
  testInFull(
    'the demo shows a ladder that climbs, is held by quiet hours and ends, and leaves nothing behind',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
      try {
        const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'demo'], {
          cwd: PROJECT,
          env: { ...process.env, TMPDIR: folder },
          timeout: LONGEST_MS,
        });
        const lines = stdout.split('\n').filter((line) => /^ {2}\d\d:\d\d /.test(line));
        const told = lines.map((line) => STORY.find((part) => line.includes(part)) ?? line);
        assert.deepEqual(told, STORY, stdout);
        assert.match(stdout, /Its timeline: created → /);
        assert.deepEqual(readdirSync(folder), []);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
