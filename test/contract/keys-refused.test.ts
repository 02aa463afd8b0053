/** A rotation that could lose something refuses before it has changed anything. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { keyIdOf, Vault } from '../../src/lib/secrets.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { appCode, FIRST, FORMER, keysIn, openHouse, prove, SECOND, turnOn } from '../support/key-house.ts';
import { signIn } from '../support/people.ts';
import { testAsSuperuser } from '../support/superuser.ts';

const NOBODY = 65_534;

onEveryEngine((engine) => {
  test('while something needs a key that is not at hand nothing is sealed anew, be it a text or a recovery code', async () => {
    await using house = await openHouse(engine);
    const bed = await house.serve({ SECRET_KEY: FIRST });
    const ada = await signIn(bed, 'ada@example.org');
    await turnOn(bed, ada);
    const bob = await signIn(bed, 'bob@example.org');
    const lost = 'a key that nobody has any more, at all';
    const totp_secret = new Vault([lost]).seal(`totp of ${bob.userId}`, 'x');
    await bed.db.updateTable('users').set({ totp_secret }).where('id', '=', bob.userId).execute();
    await bed.close();
    const settings = { SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER };
    const byText = await house.rotate(settings);
    assert.equal(byText.code, 1);
    assert.match(byText.json.error, new RegExp(`Nothing was changed: 1 sealed text .* need key ${keyIdOf(lost)}`));

    const after = await house.serve({ SECRET_KEY: FIRST });
    await after.db.updateTable('users').set({ totp_secret: null }).where('id', '=', bob.userId).execute();
    await after.db
      .updateTable('recovery_codes')
      .set({ key_id: keyIdOf(lost) })
      .execute();
    const byCode = await house.rotate(settings);
    assert.equal(byCode.code, 1);
    assert.match(byCode.json.error, /Nothing was changed: 0 sealed texts and the recovery codes of 1 account need key/);
    const kept = await after.db
      .selectFrom('users')
      .select('totp_secret')
      .where('id', '=', ada.userId)
      .executeTakeFirst();
    assert.match(kept?.totp_secret ?? '', new RegExp(`^v1\\.${keyIdOf(FIRST)}\\.`));
    await after.close();
  });

  test('SECRET_KEY and SECRET_KEY_OLD exchanged are told from a rotation that is over', async () => {
    await using house = await openHouse(engine);
    const bed = await house.serve({ SECRET_KEY: FIRST });
    await turnOn(bed, await signIn(bed, 'ada@example.org'));
    await house.clock.advance('11m');
    await bed.db.deleteFrom('recovery_codes').execute();
    await bed.close();
    const exchanged = await house.rotate({ SECRET_KEY: FIRST, SECRET_KEY_OLD: JSON.stringify([SECOND]) });
    assert.equal(exchanged.code, 1);
    assert.match(exchanged.json.error, /no key of SECRET_KEY_OLD was ever used here.* exchanged\?/);
    for (const _ of ['the rotation', 'once more'])
      assert.equal((await house.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER })).code, 0);
    await assert.rejects(house.serve({ SECRET_KEY: FIRST }), /SECRET_KEY is not the key of this database/);
  });

  test('beside a service that does not know the new key nothing is sealed with it', async () => {
    await using house = await openHouse(engine);
    await using bed = await house.serve({ SECRET_KEY: FIRST });
    const ada = await signIn(bed, 'ada@example.org');
    const { secret } = await turnOn(bed, ada);
    const refused = await house.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.equal(refused.code, 1);
    assert.match(refused.json.error, /Nothing was changed: a process still seals with another key than SECRET_KEY/);
    await house.clock.advance('1m');
    assert.equal(await prove(bed, ada.email, appCode(bed, secret)), 200);
  });
});

onlyOn('postgres', () => {
  test('one service of two that seals with the former key alone keeps the former key from being declared needless', async () => {
    await using house = await openHouse('postgres');
    await using left = await house.serve({ SECRET_KEY: FIRST });
    await using restarted = await house.serve({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    await signIn(restarted, 'ada@example.org');
    const settings = { SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER };
    assert.match((await house.rotate(settings)).json.error, /a process still seals with another key/);
    await left.close();
    assert.equal((await house.rotate(settings)).code, 0);
  });
});

onlyOn('sqlite', () => {
  test('a rotation for a database that never named the key leaves it in the file for the one that did', async () => {
    await using house = await openHouse('sqlite');
    await (await house.serve()).close();
    const [key = ''] = keysIn(house.database);
    const trial = { DATABASE_URL: `sqlite:${join(house.database.folder ?? '', 'trial.db')}` };
    assert.equal((await house.command(['migrate'], trial)).code, 0);
    assert.equal((await house.rotate(trial)).code, 0);
    assert.ok(keysIn(house.database).includes(key));
    await (await house.serve()).close();
  });

  test('after a rotation for a trial with the same key the real database says where its key is, and works with it', async () => {
    await using house = await openHouse('sqlite');
    const { folder = '' } = house.database;
    const real = await house.serve();
    const ada = await signIn(real, 'ada@example.org');
    const { secret } = await turnOn(real, ada);
    await real.close();
    const trial = { DATABASE_URL: `sqlite:${join(folder, 'trial.db')}` };
    await (await house.serve({ SECRET_KEY: '', ...trial })).close();
    assert.equal((await house.rotate(trial)).code, 0);
    await assert.rejects(
      house.serve(),
      /secret\.key\.former has it: put the lines of that file at the end of secret\.key/,
    );
    appendFileSync(join(folder, 'secret.key'), readFileSync(join(folder, 'secret.key.former')));
    await house.clock.advance('1m');
    await using after = await house.serve();
    assert.equal(await prove(after, ada.email, appCode(after, secret)), 200);
  });

  test('a key that is given up stays in secret.key.former, with those of before, until somebody deletes it', async () => {
    await using house = await openHouse('sqlite');
    await (await house.serve()).close();
    const [first] = keysIn(house.database);
    const { folder = '' } = house.database;
    assert.equal((await house.rotate()).code, 0);
    const [second] = keysIn(house.database);
    assert.equal((await house.rotate()).code, 0);
    assert.deepEqual(keysIn(house.database, 'secret.key.former'), [second, first]);
    assert.equal(statSync(join(folder, 'secret.key.former')).mode & 0o777, 0o600);
  });

  test('keys of another database are not rotated', async () => {
    await using house = await openHouse('sqlite');
    await (await house.serve()).close();
    const other = join(house.database.folder ?? '', 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'secret.key'), `${'k'.repeat(40)}\n`);
    const refused = await house.rotate({ DATA_DIR: other });
    assert.equal(refused.code, 1);
    assert.match(refused.json.error, /Nothing was changed: .*secret\.key is not the key of this database/);
    assert.equal(readFileSync(join(other, 'secret.key'), 'utf8'), `${'k'.repeat(40)}\n`);
    assert.deepEqual(readdirSync(other), ['secret.key']);
  });

  test('a file that is empty or of something else is refused and stays as it was, with nothing beside it', async () => {
    await using house = await openHouse('sqlite');
    const folder = join(house.database.folder ?? '', 'elsewhere');
    mkdirSync(folder);
    const [empty, foreign] = [join(folder, 'empty.db'), join(folder, 'foreign.db')];
    writeFileSync(empty, '', { mode: 0o644 });
    const made = new DatabaseSync(foreign);
    made.exec('pragma journal_mode = wal; create table diary (page text)');
    made.close();
    const before = [readFileSync(foreign), statSync(foreign).mode];
    for (const file of [empty, foreign]) {
      const { code, json } = await house.rotate({ DATABASE_URL: `sqlite:${file}` });
      assert.equal(code, 1);
      assert.match(json.error, /^failed: DATABASE_URL: (there is no database at|this database is somebody else's)/);
    }
    assert.deepEqual([readFileSync(foreign), statSync(foreign).mode], before);
    assert.equal(statSync(empty).mode & 0o777, 0o644);
    assert.deepEqual(readdirSync(folder).sort(), ['empty.db', 'foreign.db']);
  });

  testAsSuperuser('what the superuser writes belongs to whom it belonged before', async () => {
    await using house = await openHouse('sqlite');
    const { folder = '' } = house.database;
    await (await house.serve()).close();
    const own = () => readdirSync(folder).map((name) => join(folder, name));
    for (const path of [folder, ...own()]) chownSync(path, NOBODY, NOBODY);
    assert.equal((await house.rotate()).code, 0);
    const file = join(folder, 'backup');
    assert.equal((await house.command(['backup', file])).code, 0);
    const restored = join(folder, 'restored');
    mkdirSync(restored);
    chownSync(restored, NOBODY, NOBODY);
    const there = { DATA_DIR: restored, DATABASE_URL: `sqlite:${join(restored, 'crescendo.db')}` };
    const { code, err } = await house.command(['restore', file], there);
    assert.equal(code, 0, err);
    assert.ok(existsSync(join(restored, 'secret.key')));
    const written = [
      ...own().filter((path) => path !== file),
      ...readdirSync(restored).map((name) => join(restored, name)),
    ];
    for (const path of written) assert.equal(statSync(path).uid, NOBODY, path);
  });
});
