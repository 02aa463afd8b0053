import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findPublicKey, readOrMakeVapidKeys } from './vapid-keys.ts';

function temporaryFolder(t: TestContext) {
  const path = mkdtempSync(join(tmpdir(), 'crescendo-vapid-'));
  t.after(() => rmSync(path, { recursive: true }));
  return { path, file: join(path, 'data', 'vapid.key') };
}

test('a key pair is made once, in the format of the settings, and read from then on', (t) => {
  const folder = temporaryFolder(t);
  const made = readOrMakeVapidKeys(join(folder.path, 'data'));
  assert.match(made.publicKey, /^B[\w-]{86}$/);
  assert.match(made.privateKey, /^[\w-]{43}$/);
  assert.deepEqual(readOrMakeVapidKeys(join(folder.path, 'data')), made);
});

test('only the owner may read the file, even if its mode was loosened before', (t) => {
  const folder = temporaryFolder(t);
  readOrMakeVapidKeys(join(folder.path, 'data'));
  assert.equal(statSync(folder.file).mode & 0o777, 0o600);
  chmodSync(folder.file, 0o644);
  readOrMakeVapidKeys(join(folder.path, 'data'));
  assert.equal(statSync(folder.file).mode & 0o777, 0o600);
});

for (const content of ['', 'not a key', 'A'.repeat(43), '_'.repeat(43)]) {
  test(`a file with "${content.slice(0, 9)}" prevents the start and is left unchanged`, (t) => {
    const folder = temporaryFolder(t);
    readOrMakeVapidKeys(join(folder.path, 'data'));
    writeFileSync(folder.file, content);
    assert.throws(() => readOrMakeVapidKeys(join(folder.path, 'data')), /vapid\.key holds no key/);
    assert.equal(readFileSync(folder.file, 'utf8'), content);
  });
}

test("the public key follows from the private one, as in RFC 8291's example", () => {
  assert.equal(
    findPublicKey('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'),
    'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  );
});
