/** Rotating the encryption keys loses no data. */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '../../src/db/open.ts';
import type { Db } from '../../src/db/schema.ts';
import { answerContext, channelContext } from '../../src/keys/sealed-contexts.ts';
import { sealedColumns } from '../../src/keys/sealed-values.store.ts';
import { keyIdOf, Vault } from '../../src/keys/vault.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
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
import { onEveryEngine, onlyOn, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeIdentityProvider } from '../support/identity-provider.ts';
import { createPerson, type Person, personWith, receiveCode, verifyCode } from '../support/people.ts';
import { type TestApp, VERSION } from '../support/test-app.ts';

async function dump(db: Db): Promise<string> {
  const tables = await db.introspection.getTables();
  const contents = await Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db)));
  return JSON.stringify(contents.map(({ rows }) => rows));
}

const askOnce = (app: TestApp, { sessionToken }: Person) =>
  app.ask({
    method: 'POST',
    url: '/v1/tasks',
    payload: { title: 'once' },
    headers: { authorization: `Bearer ${sessionToken}`, 'idempotency-key': 'a key of the client' },
  });

/** A message that is to be taken back, of a channel and an account that are gone. */
async function holdMessage(db: Db, channel_id: string, address: string): Promise<void> {
  const id = newId();
  const never = new Date('2100-01-01');
  const wish = { slot: 'first', sounds_at: null, content: '{}', stage: 0, version: 2, next_attempt_at: never };
  const there = { provider: 'ntfy', server: 'https://there.test', ref: id, held_until: never };
  await db
    .insertInto('understudies')
    .values({ id, user_id: newId(), channel_id, address, ...wish, ...there, moved_at: null, error: null })
    .execute();
}

onEveryEngine((engine, it) => {
  test('keys from the environment: everything is resealed while the service runs, and the report says when the old key can go', async () => {
    const clock = new FakeClock();
    await using provider = await FakeIdentityProvider.start(clock);
    const settings = { ...provider.settings, ...(await provider.clientSettings()) };
    await using deployment = await openDeployment(engine, settings, clock);
    const before = await deployment.serve({ SECRET_KEY: FIRST });
    const identity_token = await provider.issue({ email: 'ada@example.org', email_verified: true });
    const signedIn = await before.ask({
      method: 'POST',
      url: '/v1/auth/idp',
      payload: { identity_token, authorization_code: 'a code' },
    });
    const { user_id, session_token } = signedIn.body.data;
    const ada = (app: TestApp) => personWith(app, 'ada@example.org', user_id, session_token);
    const { secret, recovery } = await enableSecondFactor(before, ada(before));
    const task = (await askOnce(before, ada(before))).body.data.id;
    const mailed = await receiveCode(before, 'carol@example.org');
    const channelId = newId();
    await holdMessage(before.db, channelId, new Vault([FIRST]).seal(channelContext(channelId), 'an address'));
    await before.close();

    await using during = await deployment.serve({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    const first = await deployment.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.equal(first.code, 0, first.out);
    const { places, ...rest } = first.json.data;
    const one = { resealed: 1, unreadable: 0 };
    assert.deepEqual(places, {
      second_factors: one,
      refresh_tokens: one,
      revocations: { ...one, resealed: 0 },
      kept_answers: one,
      channels: { ...one, resealed: 0 },
      understudies: one,
    });
    assert.deepEqual(rest, {
      key_id: keyIdOf(SECOND),
      unreadable: 0,
      forgotten: 0,
      unfinished: false,
      accounts_depending_on_old_keys: 1,
      old_keys_needed: true,
      old_key_ids_needed: [keyIdOf(FIRST)],
    });
    assert.ok(!(await dump(during.db)).includes(`v1.${keyIdOf(FIRST)}`));
    const { address } = await during.db.selectFrom('understudies').select('address').executeTakeFirstOrThrow();
    assert.equal(new Vault([SECOND]).open(channelContext(channelId), address), 'an address');
    assert.equal((await verifyCode(during, 'carol@example.org', mailed)).status, 200);
    assert.equal(await signInWithSecondFactor(during, 'ada@example.org', recovery[0] ?? ''), 200);
    assert.equal(await signInWithSecondFactor(during, 'ada@example.org', recovery[0] ?? ''), 401);
    assert.equal((await askOnce(during, ada(during))).body.data.id, task);
    const again = await deployment.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.deepEqual(again.json.data.places.second_factors, { resealed: 0, unreadable: 0 });

    // Renew the recovery codes once the last emailed code has expired.
    await clock.advance('11m');
    const disabled = await ada(during).ask('POST', '/v1/auth/mfa/disable', { code: recovery[1] });
    assert.equal(disabled.status, 200, JSON.stringify(disabled.body));
    await clock.advance('1m');
    const renewed = await enableSecondFactor(during, ada(during));
    assert.notEqual(renewed.secret, secret);
    const last = await deployment.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.deepEqual([last.json.data.old_keys_needed, last.json.data.accounts_depending_on_old_keys], [false, 0]);
    await during.close();

    await using after = await deployment.serve({ SECRET_KEY: SECOND });
    await clock.advance('1m');
    assert.equal(await signInWithSecondFactor(after, 'ada@example.org', totpCode(after, renewed.secret)), 200);
    assert.equal(await signInWithSecondFactor(after, 'ada@example.org', renewed.recovery[0] ?? ''), 200);
    assert.equal((await ada(after).ask('DELETE', '/v1/me')).status, 200);
    const refused = await deployment.rotate({ SECRET_KEY: SECOND });
    assert.equal(refused.code, 1);
    assert.match(refused.json.error, /^failed: SECRET_KEY_OLD is not set\./);
  });

  test('a rotation reseals every page: of many accounts, and of many answers of one account', async () => {
    await using deployment = await openDeployment(engine);
    const app = await deployment.serve({ SECRET_KEY: FIRST });
    const ada = await createPerson(app, 'ada@example.org');
    const vault = new Vault([FIRST]);
    // A page has 500 values.
    const numbers = Array.from({ length: 501 }, (_, index) => index);
    const expires_at = new Date('2100-01-01');
    for (const index of numbers) await addWithSecret(app.db, vault, `person-${index}@example.org`);
    const answers = numbers.map((index) => ({
      user_id: ada.userId,
      key_hash: `key-${index}`,
      answer: vault.seal(answerContext(ada.userId, `key-${index}`), 'an answer'),
      request_hash: '',
      status: 200,
      expires_at,
    }));
    await app.db.insertInto('idempotency_keys').values(answers).execute();
    await app.close();
    const { json } = await deployment.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    const all = { resealed: numbers.length, unreadable: 0 };
    assert.deepEqual([json.data.places.second_factors, json.data.places.kept_answers], [all, all]);
  });

  it('without the old key the authenticator app still works, and recovery codes from before the rotation do not', async () => {
    await using deployment = await openDeployment(engine);
    const before = await deployment.serve({ SECRET_KEY: FIRST });
    const ada = await createPerson(before, 'ada@example.org');
    const { secret, recovery } = await enableSecondFactor(before, ada);
    await before.close();
    assert.equal((await deployment.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER })).code, 0);
    await deployment.clock.advance('1m');
    await using after = await deployment.serve({ SECRET_KEY: SECOND });
    assert.equal(await signInWithSecondFactor(after, ada.email, recovery[0] ?? ''), 401);
    assert.equal(await signInWithSecondFactor(after, ada.email, totpCode(after, secret)), 200);
  });

  it('recovery codes without a key id, and an emailed code that is still valid, count as needing every older key', async () => {
    await using deployment = await openDeployment(engine);
    const app = await deployment.serve({ SECRET_KEY: FIRST });
    const ada = await createPerson(app, 'ada@example.org');
    const { recovery } = await enableSecondFactor(app, ada);
    await app.db.updateTable('recovery_codes').set({ key_id: null }).execute();
    await app.close();
    const { json } = await deployment.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.equal(json.data.accounts_depending_on_old_keys, 1);
    assert.deepEqual(json.data.old_key_ids_needed, [keyIdOf(FIRST)]);
    await using after = await deployment.serve({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.equal(await signInWithSecondFactor(after, ada.email, recovery[3] ?? ''), 200);
    await after.db.deleteFrom('recovery_codes').execute();
    await receiveCode(after, 'carol@example.org');
    const needed = async () => {
      const { data } = (await deployment.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER })).json;
      return [data.accounts_depending_on_old_keys, data.old_key_ids_needed];
    };
    assert.deepEqual(await needed(), [0, [keyIdOf(FIRST)]]);
    await deployment.clock.advance('10m');
    assert.deepEqual(await needed(), [0, []]);
  });

  it('damaged and changed values are left as they are, and older keys are needed while there are damaged ones', async () => {
    await using deployment = await openDeployment(engine);
    const app = await deployment.serve({ SECRET_KEY: FIRST });
    const [ada, bob] = [await createPerson(app, 'ada@example.org'), await createPerson(app, 'bob@example.org')];
    await deployment.clock.advance('11m');
    const moved = new Vault([FIRST]).seal(`totp of ${ada.userId}`, 'x');
    const set = (totp_secret: string, { userId }: Person) =>
      app.db.updateTable('users').set({ totp_secret }).where('id', '=', userId).execute();
    await set('not a sealed value', ada);
    await set(moved, bob);
    await app.close();
    for (const _ of ['once', 'again']) {
      const { code, json } = await deployment.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
      assert.equal(code, 1);
      assert.deepEqual(json.data.places.second_factors, { resealed: 0, unreadable: 2 });
      assert.deepEqual([json.data.unfinished, json.data.old_keys_needed], [false, true]);
    }
    await using after = await deployment.serve({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    // As by a rotation that read the value before somebody changed it.
    const read = { key: [ada.userId] as const, context: 'any', sealed: 'as it was' };
    const factors = sealedColumns.find(({ name }) => name === 'second_factors');
    assert.equal(await factors?.replace(after.db, read, 'sealed again'), false);
    const kept = await after.db.selectFrom('users').select('totp_secret').orderBy('id').execute();
    assert.deepEqual(
      kept.map(({ totp_secret }) => totp_secret),
      ['not a sealed value', moved],
    );
  });
});

onlyOn('sqlite', () => {
  test('a key file: the service must be stopped, the new key comes first, and the old one stays while recovery codes need it', async () => {
    await using deployment = await openDeployment('sqlite');
    const before = await deployment.serve();
    const ada = await createPerson(before, 'ada@example.org');
    const { secret, recovery } = await enableSecondFactor(before, ada);
    await deployment.clock.advance('11m');
    const [old] = readKeyFile(deployment.database);
    const refused = await deployment.rotate();
    assert.equal(refused.code, 1);
    assert.match(refused.json.error, /another process already has .* open\. Stop the service first/);
    assert.deepEqual(readKeyFile(deployment.database), [old]);
    await before.close();

    assert.equal((await deployment.rotate()).code, 0);
    const [newest, ...older] = readKeyFile(deployment.database);
    assert.notEqual(newest, old);
    assert.deepEqual(older, [old]);
    const { folder = '' } = deployment.database;
    assert.equal(statSync(join(folder, 'secret.key')).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('secret.key')),
      ['secret.key'],
    );

    const after = await deployment.serve();
    assert.equal(await signInWithSecondFactor(after, ada.email, totpCode(after, secret)), 200);
    await deployment.clock.advance('1m');
    assert.equal(await signInWithSecondFactor(after, ada.email, recovery[0] ?? ''), 200);
    await deployment.clock.advance('11m');
    await after.db.deleteFrom('recovery_codes').execute();
    await after.close();
    assert.equal((await deployment.rotate()).code, 0);
    assert.equal(readKeyFile(deployment.database).length, 1);
    assert.ok(!readKeyFile(deployment.database).includes(newest ?? ''));
    await using last = await deployment.serve();
    assert.equal(await signInWithSecondFactor(last, ada.email, totpCode(last, secret)), 200);
  });

  test('everything stays readable after an interruption at any point; running again finishes and leaves one key', async () => {
    await using deployment = await openDeployment('sqlite');
    const app = await deployment.serve();
    const people = 120;
    const owners = Array.from({ length: people }, (_, index) => `person-${index}@example.org`);
    const vault = new Vault(readKeyFile(deployment.database) as [string]);
    await Promise.all(owners.map((email) => addWithSecret(app.db, vault, email)));
    await app.close();
    let isDone = false;
    let interruptions = 0;
    const files: string[] = [];
    for (let point = 1; !isDone; point += 1) {
      const { code } = await deployment.rotate({}, abortedAtCheck(point));
      isDone = code === 0;
      if (!isDone) interruptions += 1;
      assert.deepEqual(await readSecrets(deployment.database), owners.toSorted());
      files.push(readKeyFile(deployment.database).join(' '));
    }
    assert.ok(interruptions > 5, `${interruptions} interruptions`);
    const isContinued = (file: string, index: number) => file.includes(' ') && file === files[index - 1];
    assert.ok(files.some(isContinued), 'values are still sealed with an older key: no further key is made');
    assert.equal(readKeyFile(deployment.database).length, 1);
  });
});

async function addWithSecret(db: Db, vault: Vault, email: string): Promise<void> {
  const id = crypto.randomUUID();
  const at = new Date('2026-03-02T09:00:00Z');
  const row = { id, email, display_name: null, keep_must_not_miss: true, created_at: at, updated_at: at };
  const totp_secret = vault.seal(`totp of ${id}`, email);
  await db
    .insertInto('users')
    .values({ ...row, totp_secret })
    .execute();
}

/** Every sealed secret, opened with the keys in the file. */
async function readSecrets(database: TestDatabase): Promise<string[]> {
  const location = { engine: 'sqlite', file: database.url.slice('sqlite:'.length) } as const;
  const db = await openDatabase(location, { version: VERSION, clock: new FakeClock(), logger: createLogger('silent') });
  const vault = new Vault(readKeyFile(database) as [string]);
  const users = await db.selectFrom('users').select(['id', 'totp_secret']).execute();
  await db.destroy();
  return users.map(({ id, totp_secret }) => vault.open(`totp of ${id}`, totp_secret ?? '')).sort();
}

/** Like Ctrl-C just before the n-th time that the command checks the signal. */
function abortedAtCheck(point: number): AbortSignal {
  const stop = new AbortController();
  let checks = 0;
  const throwIfAborted = () => {
    checks += 1;
    if (checks >= point) stop.abort();
    if (stop.signal.aborted) throw stop.signal.reason;
  };
  return Object.defineProperty(stop.signal, 'throwIfAborted', { value: throwIfAborted });
}
