import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { testAsSuperuser } from '../../test/support/superuser.ts';
import { UnusableKeyError } from './key-file.ts';
import {
  addFormerKeys,
  findSecretKeys,
  readOrMakeSecretKeys,
  readSecretKeys,
  replaceSecretKeys,
} from './secret-key-file.ts';

const NOBODY = 65_534;

function temporaryFolder(t: TestContext): { path: string; file: string } {
  const path = mkdtempSync(join(tmpdir(), 'crescendo-key-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return { path, file: join(path, 'secret.key') };
}

test('the first key is made once, is private, and leaves nothing else behind', (t) => {
  const { path, file } = temporaryFolder(t);
  const made = readOrMakeSecretKeys(path);
  assert.deepEqual(readOrMakeSecretKeys(path), made);
  assert.deepEqual(readSecretKeys(path), made);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(path), ['secret.key']);
});

test('the service makes a key file private again', (t) => {
  const { path, file } = temporaryFolder(t);
  readOrMakeSecretKeys(path);
  chmodSync(file, 0o644);
  readOrMakeSecretKeys(path);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

for (const content of ['', '\n\n', 'too short to be a key\n']) {
  test(`a file with ${JSON.stringify(content)} holds no key and is left unchanged; removing it is advised only if no key is in use`, (t) => {
    const { path, file } = temporaryFolder(t);
    writeFileSync(file, content);
    assert.throws(() => readSecretKeys(path), { message: `${file} holds no key. Restore it from a backup.` });
    assert.throws(() => readOrMakeSecretKeys(path), /holds no key\. Restore it from a backup, or remove it/);
    assert.equal(readFileSync(file, 'utf8'), content);
  });
}

test('one key per line, newest first; white space and empty lines are ignored', () => {
  const [newest, older] = ['n'.repeat(40), 'o'.repeat(40)];
  assert.deepEqual(findSecretKeys(`\n  ${newest}\r\n\n${older}\n`), [newest, older]);
  assert.deepEqual([findSecretKeys('k'.repeat(32)), findSecretKeys('k'.repeat(31))], [['k'.repeat(32)], undefined]);
});

test('former keys are added to those still in the file, each once', (t) => {
  const { path } = temporaryFolder(t);
  addFormerKeys(path, ['one']);
  addFormerKeys(path, ['two', 'one']);
  addFormerKeys(path, ['three']);
  assert.equal(readFileSync(join(path, 'secret.key.former'), 'utf8'), 'three\ntwo\none\n');
});

testAsSuperuser(
  'a key that the superuser makes belongs to the owner of the folder; a replaced one keeps its owner',
  (t) => {
    const { path, file } = temporaryFolder(t);
    chownSync(path, NOBODY, NOBODY);
    readOrMakeSecretKeys(path);
    assert.equal(statSync(file).uid, NOBODY);
    chownSync(file, NOBODY - 1, NOBODY);
    replaceSecretKeys(path, ['k'.repeat(40)]);
    assert.equal(statSync(file).uid, NOBODY - 1);
  },
);

testAsSuperuser("the error about another user's key file names the owner and how to change it", (t) => {
  const { path, file } = temporaryFolder(t);
  readOrMakeSecretKeys(path);
  chmodSync(path, 0o755);
  process.seteuid?.(NOBODY);
  t.after(() => process.seteuid?.(0));
  for (const read of [readSecretKeys, readOrMakeSecretKeys]) {
    assert.throws(
      () => read(path),
      (error) => {
        assert.ok(error instanceof UnusableKeyError);
        assert.equal(error.summary, `${file} belongs to root and is not accessible to user ${NOBODY}`);
        assert.match(error.remedy, /chown USER .*; chmod 600/);
        return true;
      },
    );
  }
  process.seteuid?.(0);
});
