/** A rotation that could lose data refuses before it changes anything. */
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
import { keyIdOf, Vault } from '../../src/keys/vault.ts';
import {
  enableSecondFactor,
  FIRST,
  FORMER,
  openDeployment,
  readKeyFile,
  SECOND,
  signInWithSecondFactor,
  totpCode,
} from '../support/deployment.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { testAsSuperuser } from '../support/superuser.ts';

const NOBODY = 65_534;

onEveryEngine((engine, it) => {
  test('nothing is resealed while a sealed value or a recovery code needs a missing key', async () => {
    await using deployment = await openDeployment(engine);
    const app = await deployment.serve({ SECRET_KEY: FIRST });
    const ada = await createPerson(app, 'ada@example.org');
    await enableSecondFactor(app, ada);
    const bob = await createPerson(app, 'bob@example.org');
    const lost = 'a lost key, 32 characters and more';
    const totp_secret = new Vault([lost]).seal(`totp of ${bob.userId}`, 'x');
    await app.db.updateTable('users').set({ totp_secret }).where('id', '=', bob.userId).execute();
    await app.close();
    const settings = { SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER };
    const byValue = await deployment.rotate(settings);
    assert.equal(byValue.code, 1);
    assert.match(byValue.json.error, new RegExp(`Nothing was changed: 1 sealed value .* need key ${keyIdOf(lost)}`));

    const after = await deployment.serve({ SECRET_KEY: FIRST });
    await after.db.updateTable('users').set({ totp_secret: null }).where('id', '=', bob.userId).execute();
    await after.db
      .updateTable('recovery_codes')
      .set({ key_id: keyIdOf(lost) })
      .execute();
    const byCode = await deployment.rotate(settings);
    assert.equal(byCode.code, 1);
    assert.match(
      byCode.json.error,
      /Nothing was changed: 0 sealed values and the recovery codes of 1 account need key/,
    );
    const kept = await after.db
      .selectFrom('users')
      .select('totp_secret')
      .where('id', '=', ada.userId)
      .executeTakeFirst();
    assert.match(kept?.totp_secret ?? '', new RegExp(`^v1\\.${keyIdOf(FIRST)}\\.`));
    await after.close();
  });

  it('a rotation refuses swapped SECRET_KEY and SECRET_KEY_OLD, and succeeds when repeated', async () => {
    await using deployment = await openDeployment(engine);
    const app = await deployment.serve({ SECRET_KEY: FIRST });
    await enableSecondFactor(app, await createPerson(app, 'ada@example.org'));
    await deployment.clock.advance('11m');
    await app.db.deleteFrom('recovery_codes').execute();
    await app.close();
    const swapped = await deployment.rotate({ SECRET_KEY: FIRST, SECRET_KEY_OLD: JSON.stringify([SECOND]) });
    assert.equal(swapped.code, 1);
    assert.match(swapped.json.error, /never used a key of SECRET_KEY_OLD.* swapped\?/);
    for (const _ of ['first', 'again'])
      assert.equal((await deployment.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER })).code, 0);
    await assert.rejects(deployment.serve({ SECRET_KEY: FIRST }), /SECRET_KEY is not the key of this database/);
  });

  test('nothing is resealed while a service runs that lacks the new key', async () => {
    await using deployment = await openDeployment(engine);
    await using app = await deployment.serve({ SECRET_KEY: FIRST });
    const ada = await createPerson(app, 'ada@example.org');
    const { secret } = await enableSecondFactor(app, ada);
    const refused = await deployment.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.equal(refused.code, 1);
    assert.match(refused.json.error, /Nothing was changed: a process still uses another key than SECRET_KEY/);
    await deployment.clock.advance('1m');
    assert.equal(await signInWithSecondFactor(app, ada.email, totpCode(app, secret)), 200);
  });
});

onlyOn('postgres', () => {
  test('a rotation is refused while one of two processes still uses the old key', async () => {
    await using deployment = await openDeployment('postgres');
    await using left = await deployment.serve({ SECRET_KEY: FIRST });
    await using restarted = await deployment.serve({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    await createPerson(restarted, 'ada@example.org');
    const settings = { SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER };
    assert.match((await deployment.rotate(settings)).json.error, /a process still uses another key/);
    await left.close();
    assert.equal((await deployment.rotate(settings)).code, 0);
  });
});

onlyOn('sqlite', () => {
  test('a rotation leaves keys in the file that its database has never used', async () => {
    await using deployment = await openDeployment('sqlite');
    await (await deployment.serve()).close();
    const [key = ''] = readKeyFile(deployment.database);
    const trial = { DATABASE_URL: `sqlite:${join(deployment.database.folder ?? '', 'trial.db')}` };
    assert.equal((await deployment.command(['migrate'], trial)).code, 0);
    assert.equal((await deployment.rotate(trial)).code, 0);
    assert.ok(readKeyFile(deployment.database).includes(key));
    await (await deployment.serve()).close();
  });

  test('if a rotation for another database moved the key, the error says where it is, and the service works with it', async () => {
    await using deployment = await openDeployment('sqlite');
    const { folder = '' } = deployment.database;
    const real = await deployment.serve();
    const ada = await createPerson(real, 'ada@example.org');
    const { secret } = await enableSecondFactor(real, ada);
    await real.close();
    const trial = { DATABASE_URL: `sqlite:${join(folder, 'trial.db')}` };
    await (await deployment.serve({ SECRET_KEY: '', ...trial })).close();
    assert.equal((await deployment.rotate(trial)).code, 0);
    await assert.rejects(
      deployment.serve(),
      /secret\.key\.former has it: put the lines of that file at the end of secret\.key/,
    );
    appendFileSync(join(folder, 'secret.key'), readFileSync(join(folder, 'secret.key.former')));
    await deployment.clock.advance('1m');
    await using after = await deployment.serve();
    assert.equal(await signInWithSecondFactor(after, ada.email, totpCode(after, secret)), 200);
  });

  test('removed keys are kept in secret.key.former, together with those of earlier rotations', async () => {
    await using deployment = await openDeployment('sqlite');
    await (await deployment.serve()).close();
    const [first] = readKeyFile(deployment.database);
    const { folder = '' } = deployment.database;
    assert.equal((await deployment.rotate()).code, 0);
    const [second] = readKeyFile(deployment.database);
    assert.equal((await deployment.rotate()).code, 0);
    assert.deepEqual(readKeyFile(deployment.database, 'secret.key.former'), [second, first]);
    assert.equal(statSync(join(folder, 'secret.key.former')).mode & 0o777, 0o600);
  });

  test('a rotation refuses the keys of another database', async () => {
    await using deployment = await openDeployment('sqlite');
    await (await deployment.serve()).close();
    const other = join(deployment.database.folder ?? '', 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'secret.key'), `${'k'.repeat(40)}\n`);
    const refused = await deployment.rotate({ DATA_DIR: other });
    assert.equal(refused.code, 1);
    assert.match(refused.json.error, /Nothing was changed: .*secret\.key is not the key of this database/);
    assert.equal(readFileSync(join(other, 'secret.key'), 'utf8'), `${'k'.repeat(40)}\n`);
    assert.deepEqual(readdirSync(other), ['secret.key']);
  });

  test('an empty file and a foreign database are refused and left unchanged, and no file is created next to them', async () => {
    await using deployment = await openDeployment('sqlite');
    const folder = join(deployment.database.folder ?? '', 'elsewhere');
    mkdirSync(folder);
    const [empty, foreign] = [join(folder, 'empty.db'), join(folder, 'foreign.db')];
    writeFileSync(empty, '', { mode: 0o644 });
    const made = new DatabaseSync(foreign);
    made.exec('pragma journal_mode = wal; create table diary (page text)');
    made.close();
    const before = [readFileSync(foreign), statSync(foreign).mode];
    for (const file of [empty, foreign]) {
      const { code, json } = await deployment.rotate({ DATABASE_URL: `sqlite:${file}` });
      assert.equal(code, 1);
      assert.match(
        json.error,
        /^failed: DATABASE_URL: (there is no database at|this database belongs to another application)/,
      );
    }
    assert.deepEqual([readFileSync(foreign), statSync(foreign).mode], before);
    assert.equal(statSync(empty).mode & 0o777, 0o644);
    assert.deepEqual(readdirSync(folder).sort(), ['empty.db', 'foreign.db']);
  });

  testAsSuperuser('files that the superuser writes keep the owner they had', async () => {
    await using deployment = await openDeployment('sqlite');
    const { folder = '' } = deployment.database;
    await (await deployment.serve()).close();
    const own = () => readdirSync(folder).map((name) => join(folder, name));
    for (const path of [folder, ...own()]) chownSync(path, NOBODY, NOBODY);
    assert.equal((await deployment.rotate()).code, 0);
    const file = join(folder, 'backup');
    assert.equal((await deployment.command(['backup', file])).code, 0);
    const restored = join(folder, 'restored');
    mkdirSync(restored);
    chownSync(restored, NOBODY, NOBODY);
    const there = { DATA_DIR: restored, DATABASE_URL: `sqlite:${join(restored, 'crescendo.db')}` };
    const { code, err } = await deployment.command(['restore', file], there);
    assert.equal(code, 0, err);
    assert.ok(existsSync(join(restored, 'secret.key')));
    const written = [
      ...own().filter((path) => path !== file),
      ...readdirSync(restored).map((name) => join(restored, name)),
    ];
    for (const path of written) assert.equal(statSync(path).uid, NOBODY, path);
  });
});
