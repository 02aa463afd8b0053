/** The service, the doctor and backups detect keys that do not fit the database. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { keyIdOf } from '../../src/keys/vault.ts';
import {
  enableSecondFactor,
  FIRST,
  FORMER,
  openDeployment,
  SECOND,
  signInWithSecondFactor,
} from '../support/deployment.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';

onEveryEngine((engine, it) => {
  it('the service does not start with a wrong key, and the error names the setting and the consequence', async () => {
    await using deployment = await openDeployment(engine);
    await (await deployment.serve({ SECRET_KEY: FIRST })).close();
    await assert.rejects(deployment.serve({ SECRET_KEY: SECOND }), (error: Error) => {
      assert.equal(error.name, 'UnusableKeyError');
      assert.match(error.message, /^SECRET_KEY is not the key of this database, .* without it no second factor works/);
      assert.ok(error.message.includes(keyIdOf(FIRST)));
      assert.ok(!error.message.includes('\n'));
      return true;
    });
    await (await deployment.serve({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER })).close();
    await (await deployment.serve({ SECRET_KEY: SECOND })).close();
  });

  test('the keys of a database without recorded key ids are found in its sealed values', async () => {
    await using deployment = await openDeployment(engine);
    const before = await deployment.serve({ SECRET_KEY: FIRST });
    await enableSecondFactor(before, await createPerson(before, 'ada@example.org'));
    await before.db.deleteFrom('sealing_keys').execute();
    await before.close();
    await assert.rejects(deployment.serve({ SECRET_KEY: SECOND }), /SECRET_KEY is not the key of this database/);
    await using after = await deployment.serve({ SECRET_KEY: FIRST });
    const recorded = await after.db.selectFrom('sealing_keys').select(['key_id', 'retired_at']).execute();
    assert.deepEqual(recorded, [{ key_id: keyIdOf(FIRST), retired_at: null }]);
  });

  it('marking a key as lost needs --yes and says what is lost; nothing is deleted, and the key works again once found', async () => {
    await using deployment = await openDeployment(engine);
    const before = await deployment.serve({ SECRET_KEY: FIRST });
    const ada = await createPerson(before, 'ada@example.org');
    const { recovery } = await enableSecondFactor(before, ada);
    await deployment.clock.advance('11m');
    await before.close();
    const other = { SECRET_KEY: SECOND };
    const asked = await deployment.command(['keys', 'forget'], other);
    assert.equal(asked.code, 1);
    assert.match(asked.err, /^This loses 1 sealed value and the recovery codes of 1 account of key \S+\. Nothing was/);
    await assert.rejects(deployment.serve(other), /not the key of this database/);
    const done = await deployment.command(['keys', 'forget', '--yes', '--json'], other);
    assert.deepEqual(
      [done.code, done.json.data],
      [0, { forgotten_key_ids: [keyIdOf(FIRST)], sealed_texts: 1, accounts: 1 }],
    );
    assert.match((await deployment.command(['keys', 'forget', '--yes'], other)).err, /^No key is missing/);

    const without = await deployment.serve(other);
    assert.equal(await signInWithSecondFactor(without, ada.email, '123456'), 401);
    await without.close();
    const third = { SECRET_KEY: 'a third key, 32 characters and more', SECRET_KEY_OLD: JSON.stringify([SECOND]) };
    const rotated = await deployment.rotate(third);
    assert.deepEqual([rotated.code, rotated.json.data?.forgotten], [0, 1], rotated.out);
    await using back = await deployment.serve({ ...third, SECRET_KEY_OLD: JSON.stringify([FIRST]) });
    assert.equal(await signInWithSecondFactor(back, ada.email, recovery[0] ?? ''), 200);
  });

  it('the doctor detects a key that does not fit the database', async () => {
    await using deployment = await openDeployment(engine);
    await (await deployment.serve({ SECRET_KEY: FIRST })).close();
    const examineWith = async (SECRET_KEY: string) => {
      const { json } = await deployment.command(['doctor', '--json'], { SECRET_KEY });
      return json.data.findings.find(({ check }: { check: string }) => check === 'secret key');
    };
    assert.equal((await examineWith(FIRST)).verdict, 'ok');
    const found = await examineWith(SECOND);
    assert.deepEqual([found.verdict, /is not the key of this database/.test(found.says)], ['fault', true]);
  });
});

onlyOn('postgres', () => {
  test('a key that a running process uses cannot be marked as lost', async () => {
    await using deployment = await openDeployment('postgres');
    await using _app = await deployment.serve({ SECRET_KEY: FIRST });
    const { code, err } = await deployment.command(['keys', 'forget', '--yes'], { SECRET_KEY: SECOND });
    assert.equal(code, 1);
    assert.match(err, /^Nothing was changed: a running process uses key /);
  });
});

onlyOn('sqlite', () => {
  test('if the database uses a key, a missing key file is not made again, and a broken one is left unchanged', async () => {
    await using deployment = await openDeployment('sqlite');
    const file = join(deployment.database.folder ?? '', 'secret.key');
    await (await deployment.serve()).close();
    chmodSync(file, 0o644);
    await (await deployment.serve()).close();
    assert.equal(statSync(file).mode & 0o777, 0o600);
    writeFileSync(file, '\n');
    await assert.rejects(deployment.serve(), { message: `${file} holds no key. Restore it from a backup.` });
    rmSync(file);
    await assert.rejects(
      deployment.serve(),
      /^UnusableKeyError: There is no .*secret\.key, and this database was sealed with key/,
    );
    assert.ok(!existsSync(file));
    assert.equal((await deployment.command(['keys', 'forget', '--yes'])).code, 0);
    await (await deployment.serve()).close();
    assert.ok(existsSync(file));
  });

  test('a backup with the wrong key is made, but the command fails and says why', async () => {
    await using deployment = await openDeployment('sqlite');
    const { folder = '' } = deployment.database;
    await (await deployment.serve({ SECRET_KEY: FIRST })).close();
    const wrong = await deployment.command(['backup', join(folder, 'wrong'), '--json'], { SECRET_KEY: SECOND });
    assert.equal(wrong.code, 1);
    assert.match(wrong.json.data.key_fault, /^SECRET_KEY is not the key of this database/);
    assert.ok(existsSync(join(folder, 'wrong')));
    const right = await deployment.command(['backup', join(folder, 'right'), '--json'], { SECRET_KEY: FIRST });
    assert.deepEqual([right.code, right.json.data.key_fault], [0, null]);
  });

  test('a backup with a broken key file, or with that of another database, is not restored', async () => {
    await using deployment = await openDeployment('sqlite');
    const { folder = '' } = deployment.database;
    await (await deployment.serve()).close();
    const there = { DATA_DIR: join(folder, 'new'), DATABASE_URL: `sqlite:${join(folder, 'new', 'crescendo.db')}` };
    for (const [content, expected] of [
      ['short', /^The secret\.key in this backup holds no key: use another backup\./],
      ['k'.repeat(40), /^The secret\.key in this backup is not the key of the database in it/],
    ] as const) {
      const file = join(folder, content);
      assert.equal((await deployment.command(['backup', file])).code, 0);
      const made = new DatabaseSync(file);
      made.prepare(`update crescendo_backup set content = ? where name = 'file secret.key'`).run(content);
      made.close();
      const { code, err } = await deployment.command(['restore', file], there);
      assert.equal(code, 1);
      assert.match(err, expected);
      assert.ok(!existsSync(there.DATA_DIR));
    }
    assert.ok(!readdirSync(folder).includes('new'));
    assert.ok(readFileSync(join(folder, 'secret.key'), 'utf8').length > 32);
  });
});
