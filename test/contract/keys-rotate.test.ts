/** Changing the key that guards what is stored, without losing any of it. */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { openDatabase } from '../../src/db/open.ts';
import type { Database } from '../../src/db/schema.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { keyIdOf, Vault } from '../../src/lib/secrets.ts';
import { type Bed, VERSION } from '../support/bed.ts';
import { onEveryEngine, onlyOn, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeIdentityProvider } from '../support/identity-provider.ts';
import { appCode, FIRST, FORMER, keysIn, openHouse, prove, SECOND, turnOn } from '../support/key-house.ts';
import { type Person, personWith, receiveCode, signIn, verifyCode } from '../support/people.ts';

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
      ...{ key_id: keyIdOf(SECOND), unreadable: 0, forgotten: 0, unfinished: false, accounts_depending_on_old_keys: 1 },
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
    const bed = await house.serve({ SECRET_KEY: FIRST });
    const ada = await signIn(bed, 'ada@example.org');
    const { recovery } = await turnOn(bed, ada);
    await bed.db.updateTable('recovery_codes').set({ key_id: null }).execute();
    await bed.close();
    const { json } = await house.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.equal(json.data.accounts_depending_on_old_keys, 1);
    assert.deepEqual(json.data.old_key_ids_needed, [keyIdOf(FIRST)]);
    await using after = await house.serve({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    assert.equal(await prove(after, ada.email, recovery[3] ?? ''), 200);
  });

  test('what is damaged is left as it is and counted apart, and while there is any no older key is given up', async () => {
    await using house = await openHouse(engine);
    const bed = await house.serve({ SECRET_KEY: FIRST });
    const [ada, bob] = [await signIn(bed, 'ada@example.org'), await signIn(bed, 'bob@example.org')];
    await house.clock.advance('11m');
    const moved = new Vault([FIRST]).seal(`totp of ${ada.userId}`, 'x');
    const set = (totp_secret: string, { userId }: Person) =>
      bed.db.updateTable('users').set({ totp_secret }).where('id', '=', userId).execute();
    await set('no sealed text at all', ada);
    await set(moved, bob);
    await bed.close();
    for (const _ of ['once', 'again']) {
      const { code, json } = await house.rotate({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
      assert.equal(code, 1);
      assert.deepEqual(json.data.places.second_factors, { resealed: 0, unreadable: 2 });
      assert.deepEqual([json.data.unfinished, json.data.old_keys_needed], [false, true]);
    }
    await using after = await house.serve({ SECRET_KEY: SECOND, SECRET_KEY_OLD: FORMER });
    const kept = await after.db.selectFrom('users').select('totp_secret').orderBy('id').execute();
    assert.deepEqual(
      kept.map(({ totp_secret }) => totp_secret),
      ['no sealed text at all', moved],
    );
  });
});

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
