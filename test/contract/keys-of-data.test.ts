/** The key at hand and the data it guards belong together, or somebody is told so. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { keyIdOf } from '../../src/lib/secrets.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { FIRST, FORMER, openHouse, prove, SECOND, turnOn } from '../support/key-house.ts';
import { signIn } from '../support/people.ts';

onEveryEngine((engine) => {
  test('with another key no service starts, and the line says which setting and what it means', async () => {
    await using house = await openHouse(engine);
    await (await house.serve({ SECRET_KEY: FIRST })).close();
    await assert.rejects(house.serve({ SECRET_KEY: SECOND }), (error: Error) => {
      assert.equal(error.name, 'UnusableKeyError');
      assert.match(error.message, /^SECRET_KEY is not the key of this database, .* without it no second factor works/);
      assert.ok(error.message.includes(keyIdOf(FIRST)));
      assert.ok(!error.message.includes('\n'));
      return true;
    });
    await (await house.serve({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER })).close();
    await (await house.serve({ SECRET_KEY: SECOND })).close();
  });

  test('a database of before keys were noted is judged by what is sealed in it', async () => {
    await using house = await openHouse(engine);
    const before = await house.serve({ SECRET_KEY: FIRST });
    await turnOn(before, await signIn(before, 'ada@example.org'));
    await before.db.deleteFrom('sealing_keys').execute();
    await before.close();
    await assert.rejects(house.serve({ SECRET_KEY: SECOND }), /SECRET_KEY is not the key of this database/);
    await using after = await house.serve({ SECRET_KEY: FIRST });
    const noted = await after.db.selectFrom('sealing_keys').select(['key_id', 'retired_at']).execute();
    assert.deepEqual(noted, [{ key_id: keyIdOf(FIRST), retired_at: null }]);
  });

  test('a lost key is forgotten only on demand, which says what it costs; nothing is erased, and the key may come back', async () => {
    await using house = await openHouse(engine);
    const before = await house.serve({ SECRET_KEY: FIRST });
    const ada = await signIn(before, 'ada@example.org');
    const { recovery } = await turnOn(before, ada);
    await house.clock.advance('11m');
    await before.close();
    const other = { SECRET_KEY: SECOND };
    const asked = await house.command(['keys', 'forget'], other);
    assert.equal(asked.code, 1);
    assert.match(
      asked.err,
      /^This gives up 1 sealed text and the recovery codes of 1 account of key \S+\. Nothing was/,
    );
    await assert.rejects(house.serve(other), /not the key of this database/);
    const done = await house.command(['keys', 'forget', '--yes', '--json'], other);
    assert.deepEqual(
      [done.code, done.json.data],
      [0, { forgotten_key_ids: [keyIdOf(FIRST)], sealed_texts: 1, accounts: 1 }],
    );
    assert.match((await house.command(['keys', 'forget', '--yes'], other)).err, /^There is nothing to forget/);

    const without = await house.serve(other);
    assert.equal(await prove(without, ada.email, '123456'), 401);
    await without.close();
    const third = { SECRET_KEY: 'a third key, 32 characters and more', SECRET_KEY_OLD: JSON.stringify([SECOND]) };
    const rotated = await house.rotate(third);
    assert.deepEqual([rotated.code, rotated.json.data?.forgotten], [0, 1], rotated.out);
    await using back = await house.serve({ ...third, SECRET_KEY_OLD: JSON.stringify([FIRST]) });
    assert.equal(await prove(back, ada.email, recovery[0] ?? ''), 200);
  });

  test('doctor finds a key that is not the one of the data', async () => {
    await using house = await openHouse(engine);
    await (await house.serve({ SECRET_KEY: FIRST })).close();
    const lookWith = async (SECRET_KEY: string) => {
      const { json } = await house.command(['doctor', '--json'], { SECRET_KEY });
      return json.data.findings.find(({ check }: { check: string }) => check === 'secret key');
    };
    assert.equal((await lookWith(FIRST)).verdict, 'ok');
    const found = await lookWith(SECOND);
    assert.deepEqual([found.verdict, /is not the key of this database/.test(found.says)], ['fault', true]);
  });
});

onlyOn('postgres', () => {
  test('a key that a service seals with is not lost', async () => {
    await using house = await openHouse('postgres');
    await using _bed = await house.serve({ SECRET_KEY: FIRST });
    const { code, err } = await house.command(['keys', 'forget', '--yes'], { SECRET_KEY: SECOND });
    assert.equal(code, 1);
    assert.match(err, /^Nothing was changed: a process seals with key /);
  });
});

onlyOn('sqlite', () => {
  test('where the database names a key no new one is made in place of a missing file, and a broken file is not to be removed', async () => {
    await using house = await openHouse('sqlite');
    const file = join(house.database.folder ?? '', 'secret.key');
    await (await house.serve()).close();
    chmodSync(file, 0o644);
    await (await house.serve()).close();
    assert.equal(statSync(file).mode & 0o777, 0o600);
    writeFileSync(file, '\n');
    await assert.rejects(house.serve(), { message: `${file} holds no key. Restore it from a backup.` });
    rmSync(file);
    await assert.rejects(
      house.serve(),
      /^UnusableKeyError: There is no .*secret\.key, and this database was sealed with key/,
    );
    assert.ok(!existsSync(file));
    assert.equal((await house.command(['keys', 'forget', '--yes'])).code, 0);
    await (await house.serve()).close();
    assert.ok(existsSync(file));
  });

  test('a backup without the right key says so and is no success', async () => {
    await using house = await openHouse('sqlite');
    const { folder = '' } = house.database;
    await (await house.serve({ SECRET_KEY: FIRST })).close();
    const wrong = await house.command(['backup', join(folder, 'wrong'), '--json'], { SECRET_KEY: SECOND });
    assert.equal(wrong.code, 1);
    assert.match(wrong.json.data.key_fault, /^SECRET_KEY is not the key of this database/);
    assert.ok(existsSync(join(folder, 'wrong')));
    const right = await house.command(['backup', join(folder, 'right'), '--json'], { SECRET_KEY: FIRST });
    assert.deepEqual([right.code, right.json.data.key_fault], [0, null]);
  });

  test('a backup whose key file is garbage, or of another database, is not restored', async () => {
    await using house = await openHouse('sqlite');
    const { folder = '' } = house.database;
    await (await house.serve()).close();
    const there = { DATA_DIR: join(folder, 'new'), DATABASE_URL: `sqlite:${join(folder, 'new', 'crescendo.db')}` };
    for (const [content, expected] of [
      ['short', /^The secret\.key in this backup holds no key: use another backup\./],
      ['k'.repeat(40), /^The secret\.key in this backup is not the key of the database in it/],
    ] as const) {
      const file = join(folder, content);
      assert.equal((await house.command(['backup', file])).code, 0);
      const made = new DatabaseSync(file);
      made.prepare(`update crescendo_backup set content = ? where name = 'file secret.key'`).run(content);
      made.close();
      const { code, err } = await house.command(['restore', file], there);
      assert.equal(code, 1);
      assert.match(err, expected);
      assert.ok(!existsSync(there.DATA_DIR));
    }
    assert.ok(!readdirSync(folder).includes('new'));
    assert.ok(readFileSync(join(folder, 'secret.key'), 'utf8').length > 32);
  });
});
