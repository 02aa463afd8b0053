/** Changing the key that guards what is stored, without losing any of it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { generateSync } from 'otplib';
import { openDatabase } from '../../src/db/open.ts';
import type { Database } from '../../src/db/schema.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { keyIdOf, Vault } from '../../src/lib/secrets.ts';
import { type Bed, startBed, VERSION } from '../support/bed.ts';
import { runCommand } from '../support/command-line.ts';
import { createDatabase, type EngineName, onEveryEngine, onlyOn, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeIdentityProvider } from '../support/identity-provider.ts';
import { type Person, personWith, receiveCode, signIn, verifyCode } from '../support/people.ts';

const [FIRST, SECOND] = ['the first key, 32 characters and more', 'the second key, 32 characters and more'];

/** With a comma in it, a key is written as JSON. */
const FORMER = JSON.stringify([FIRST]);

/** One database and one clock; services come and go. */
async function openHouse(engine: EngineName, settings: Readonly<Record<string, string>> = {}, clock = new FakeClock()) {
  const database = await createDatabase(engine);
  const environment = (more: Readonly<Record<string, string>>) => ({
    ...{ DATABASE_URL: database.url, ...(database.folder && { DATA_DIR: database.folder }) },
    ...settings,
    ...more,
  });
  return {
    ...{ database, clock },
    serve: (more: Readonly<Record<string, string>> = { SECRET_KEY: '' }) =>
      startBed(engine, { databaseUrl: database.url, clock, settings: environment(more) }),
    rotate: (more: Readonly<Record<string, string>> = {}, signal = new AbortController().signal) =>
      runCommand(['keys', 'rotate', '--json'], environment(more), { clock, signal }),
    [Symbol.asyncDispose]: () => database.drop(),
  };
}

const appCode = ({ clock }: Bed, secret: string) =>
  generateSync({ secret, epoch: Math.floor(clock.now().getTime() / 1_000) });

async function turnOn(bed: Bed, person: Person): Promise<{ secret: string; recovery: string[] }> {
  const { secret } = (await person.ask('POST', '/v1/auth/mfa/enroll')).body.data;
  const { body } = await person.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: appCode(bed, secret) });
  return { secret, recovery: body.data.recovery_codes };
}

/** Signs in with a second factor, and says how that went. */
async function prove(bed: Bed, email: string, code: string): Promise<number> {
  const { body } = await verifyCode(bed, email, await receiveCode(bed, email));
  const payload = { mfa_token: body.data.mfa_token, code };
  return (await bed.ask({ method: 'POST', url: '/v1/auth/mfa/verify', payload })).status;
}

async function dump(db: Kysely<Database>): Promise<string> {
  const tables = await db.introspection.getTables();
  const contents = await Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db)));
  return JSON.stringify(contents.map(({ rows }) => rows));
}

const askOnce = (bed: Bed, { sessionToken }: Person) =>
  bed.ask({
    ...{ method: 'POST', url: '/v1/tasks', payload: { title: 'once' } },
    headers: { authorization: `Bearer ${sessionToken}`, 'idempotency-key': 'a key of the client' },
  });

onEveryEngine((engine) => {
  test('with keys from the environment everything is sealed anew beside the service, and the former key may go when it says so', async () => {
    const clock = new FakeClock();
    await using provider = await FakeIdentityProvider.start(clock);
    const settings = { ...provider.settings, ...(await provider.clientSettings()) };
    await using house = await openHouse(engine, settings, clock);
    const before = await house.serve({ SECRET_KEY: FIRST });
    const identity_token = await provider.issue({ email: 'ada@example.org', email_verified: true });
    const signedIn = await before.ask({
      ...{ method: 'POST', url: '/v1/auth/idp', payload: { identity_token, authorization_code: 'a code' } },
    });
    const { user_id, session_token } = signedIn.body.data;
    const ada = (bed: Bed) => personWith(bed, 'ada@example.org', user_id, session_token);
    const { secret, recovery } = await turnOn(before, ada(before));
    const task = (await askOnce(before, ada(before))).body.data.id;
    const mailed = await receiveCode(before, 'carol@example.org');
    await before.close();

    await using during = await house.serve({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    const first = await house.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.equal(first.code, 0, first.out);
    const { places, ...rest } = first.json.data;
    const one = { resealed: 1, unreadable: 0 };
    assert.deepEqual(places, {
      ...{ second_factors: one, refresh_tokens: one, revocations: { ...one, resealed: 0 }, kept_answers: one },
    });
    assert.deepEqual(rest, {
      ...{ key_id: keyIdOf(SECOND), unreadable: 0, unfinished: false, accounts_depending_on_old_keys: 1 },
      ...{ old_keys_needed: true, old_key_ids_needed: [keyIdOf(FIRST)] },
    });
    assert.ok(!(await dump(during.db)).includes(`v1.${keyIdOf(FIRST)}`));
    assert.equal((await verifyCode(during, 'carol@example.org', mailed)).status, 200);
    assert.equal(await prove(during, 'ada@example.org', recovery[0] ?? ''), 200);
    assert.equal(await prove(during, 'ada@example.org', recovery[0] ?? ''), 401);
    assert.equal((await askOnce(during, ada(during))).body.data.id, task);
    const again = await house.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.deepEqual(again.json.data.places.second_factors, { resealed: 0, unreadable: 0 });

    // The codes are renewed, the last emailed one has expired.
    await clock.advance('11m');
    const disabled = await ada(during).ask('POST', '/v1/auth/mfa/disable', { code: recovery[1] });
    assert.equal(disabled.status, 200, JSON.stringify(disabled.body));
    await clock.advance('1m');
    const renewed = await turnOn(during, ada(during));
    assert.notEqual(renewed.secret, secret);
    const last = await house.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.deepEqual([last.json.data.old_keys_needed, last.json.data.accounts_depending_on_old_keys], [false, 0]);
    await during.close();

    await using after = await house.serve({ SECRET_KEY: SECOND });
    await clock.advance('1m');
    assert.equal(await prove(after, 'ada@example.org', appCode(after, renewed.secret)), 200);
    assert.equal(await prove(after, 'ada@example.org', renewed.recovery[0] ?? ''), 200);
    assert.equal((await ada(after).ask('DELETE', '/v1/me')).status, 200);
    const refused = await house.rotate({ SECRET_KEY: SECOND });
    assert.equal(refused.code, 1);
    assert.match(refused.json.error, /^failed: SECRET_KEY_OLD is not set\./);
  });

  test('without the former key the authenticator app goes on, and the recovery codes of before do not', async () => {
    await using house = await openHouse(engine);
    const before = await house.serve({ SECRET_KEY: FIRST });
    const ada = await signIn(before, 'ada@example.org');
    const { secret, recovery } = await turnOn(before, ada);
    await before.close();
    assert.equal((await house.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER })).code, 0);
    await house.clock.advance('1m');
    await using after = await house.serve({ SECRET_KEY: SECOND });
    assert.equal(await prove(after, ada.email, recovery[0] ?? ''), 401);
    assert.equal(await prove(after, ada.email, appCode(after, secret)), 200);
  });

  test('codes from before their key was written down count as depending on every older key', async () => {
    await using house = await openHouse(engine);
    await using bed = await house.serve({ SECRET_KEY: FIRST });
    const ada = await signIn(bed, 'ada@example.org');
    const { recovery } = await turnOn(bed, ada);
    await bed.db.updateTable('recovery_codes').set({ key_id: null }).execute();
    const { json } = await house.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.equal(json.data.accounts_depending_on_old_keys, 1);
    assert.deepEqual(json.data.old_key_ids_needed, [keyIdOf(FIRST)]);
    await bed.close();
    await using after = await house.serve({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.equal(await prove(after, ada.email, recovery[3] ?? ''), 200);
  });

  test('what no known key opens is left as it is, counted, and makes the exit code 1', async () => {
    await using house = await openHouse(engine);
    await using bed = await house.serve({ SECRET_KEY: FIRST });
    const [ada, bob] = [await signIn(bed, 'ada@example.org'), await signIn(bed, 'bob@example.org')];
    const lost = new Vault(['a key that nobody has any more, at all']).seal(`totp of ${ada.userId}`, 'x');
    const moved = new Vault([FIRST]).seal(`totp of ${ada.userId}`, 'x');
    for (const [{ userId }, totp_secret] of [
      [ada, lost],
      [bob, moved],
    ] as const)
      await bed.db.updateTable('users').set({ totp_secret }).where('id', '=', userId).execute();
    const { code, json } = await house.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.equal(code, 1);
    assert.deepEqual(json.data.places.second_factors, { resealed: 0, unreadable: 2 });
    const kept = await bed.db.selectFrom('users').select('totp_secret').orderBy('id').execute();
    assert.deepEqual(
      kept.map(({ totp_secret }) => totp_secret),
      [lost, moved],
    );
  });
});

const keysIn = ({ folder = '' }: TestDatabase) =>
  readFileSync(join(folder, 'secret.key'), 'utf8').split('\n').filter(Boolean);

onlyOn('sqlite', () => {
  test('with the key in a file the service must be stopped; then a new key leads, and the old one stays while codes need it', async () => {
    await using house = await openHouse('sqlite');
    const before = await house.serve();
    const ada = await signIn(before, 'ada@example.org');
    const { secret, recovery } = await turnOn(before, ada);
    await house.clock.advance('11m');
    const [old] = keysIn(house.database);
    const refused = await house.rotate();
    assert.equal(refused.code, 1);
    assert.match(refused.json.error, /another process already has .* open\. Stop the service first/);
    assert.deepEqual(keysIn(house.database), [old]);
    await before.close();

    assert.equal((await house.rotate()).code, 0);
    const [lead, ...older] = keysIn(house.database);
    assert.notEqual(lead, old);
    assert.deepEqual(older, [old]);
    const { folder = '' } = house.database;
    assert.equal(statSync(join(folder, 'secret.key')).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('secret.key')),
      ['secret.key'],
    );

    const after = await house.serve();
    assert.equal(await prove(after, ada.email, appCode(after, secret)), 200);
    await house.clock.advance('1m');
    assert.equal(await prove(after, ada.email, recovery[0] ?? ''), 200);
    await house.clock.advance('11m');
    await after.db.deleteFrom('recovery_codes').execute();
    await after.close();
    assert.equal((await house.rotate()).code, 0);
    assert.equal(keysIn(house.database).length, 1);
    assert.ok(!keysIn(house.database).includes(lead ?? ''));
    await using last = await house.serve();
    assert.equal(await prove(last, ada.email, appCode(last, secret)), 200);
  });

  test('interrupted at any point everything can still be read, and running again finishes and leaves one key', async () => {
    await using house = await openHouse('sqlite');
    const bed = await house.serve();
    const people = 120;
    const owners = Array.from({ length: people }, (_, index) => `person-${index}@example.org`);
    const vault = new Vault(keysIn(house.database) as [string]);
    await Promise.all(owners.map((email) => addWithSecret(bed.db, vault, email)));
    await bed.close();
    let isDone = false;
    let interruptions = 0;
    for (let point = 1; !isDone; point += 1) {
      const { code } = await house.rotate({}, stoppedAtLook(point));
      isDone = code === 0;
      if (!isDone) interruptions += 1;
      assert.deepEqual(await readSecrets(house.database), owners.toSorted());
    }
    assert.ok(interruptions > 5, `${interruptions} interruptions`);
    assert.equal(keysIn(house.database).length, 1);
  });
});

async function addWithSecret(db: Kysely<Database>, vault: Vault, email: string): Promise<void> {
  const id = crypto.randomUUID();
  const at = new Date('2026-03-02T09:00:00Z');
  const row = { id, email, display_name: null, keep_must_not_miss: true, created_at: at, updated_at: at };
  const totp_secret = vault.seal(`totp of ${id}`, email);
  await db
    .insertInto('users')
    .values({ ...row, totp_secret })
    .execute();
}

/** What every sealed secret says, read with the keys that are in the file. */
async function readSecrets(database: TestDatabase): Promise<string[]> {
  const location = { engine: 'sqlite', file: database.url.slice('sqlite:'.length) } as const;
  const db = await openDatabase(location, { version: VERSION, clock: new FakeClock(), logger: createLogger('silent') });
  const vault = new Vault(keysIn(database) as [string]);
  const users = await db.selectFrom('users').select(['id', 'totp_secret']).execute();
  await db.destroy();
  return users.map(({ id, totp_secret }) => vault.open(`totp of ${id}`, totp_secret ?? '')).sort();
}

/** A person who presses Ctrl-C when the command looks for that the n-th time. */
function stoppedAtLook(point: number): AbortSignal {
  const stop = new AbortController();
  let looks = 0;
  const throwIfAborted = () => {
    looks += 1;
    if (looks >= point) stop.abort();
    if (stop.signal.aborted) throw stop.signal.reason;
  };
  return Object.defineProperty(stop.signal, 'throwIfAborted', { value: throwIfAborted });
}
