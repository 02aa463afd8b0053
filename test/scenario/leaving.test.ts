/** What is so at once when a person with much to take along leaves, and what the slices that follow touch. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { announcedBy } from '../support/announced.ts';
import { addPasskey } from '../support/authenticator.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson, type Person } from '../support/people.ts';
import { countFollowUps, ROWS, type SlicedApp, startSlicedApp } from '../support/slices.ts';
import { createSpace, joinSpace } from '../support/spaces.ts';
import { tablesNaming } from '../support/tables-naming.ts';

async function createMany(person: Person, count: number, fields: object): Promise<void> {
  for (let made = 0; made < count; made += 1)
    assert.equal((await person.ask('POST', '/v1/tasks', { title: 'pills', ...fields })).status, 200);
}

onEveryEngine((engine, it) => {
  let sliced: SlicedApp;
  before(async () => {
    sliced = await startSlicedApp(engine, { clock: new FakeClock() });
  });
  after(() => sliced.app[Symbol.asyncDispose]());

  it('of two people who leave two spaces, the one who comes back to one of them keeps what is left in that one alone', async () => {
    const { app, runSlices } = sliced;
    const [ada, bob, cem] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    const spaces = [await createSpace(ada, bob, cem), await createSpace(ada, bob, cem)] as const;
    const [left, joined] = spaces;
    for (const person of [bob, cem]) for (const space_id of spaces) await createMany(person, ROWS + 1, { space_id });
    for (const person of [bob, cem])
      for (const space of spaces) await person.ask('DELETE', `/v1/spaces/${space}/membership`);
    assert.equal(await countFollowUps(app.db), 4, 'each leaves each space');
    await app.clock.advance('1m');
    await joinSpace(joined, ada, bob);
    assert.equal(await countFollowUps(app.db), 3);
    const told = await announcedBy(app, () => runSlices());
    for (const id of [...spaces, bob.userId, cem.userId]) assert.ok(told.has(id), 'open apps hear of each slice');
    const ownersIn = async (space: string) => {
      const rows = await app.db.selectFrom('tasks').select('owner_id').where('space_id', '=', space).execute();
      return [...new Set(rows.map(({ owner_id }) => owner_id))];
    };
    assert.deepEqual([await ownersIn(left), await ownersIn(joined)], [[], [bob.userId]]);
  });

  it('nothing that enters, shows or nudges a large account outlives the answer to its deletion', async () => {
    const { app, runSlices } = sliced;
    const { db, clock } = app;
    const [ada, bob, cem] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    const user_id = ada.userId;
    const spaces = [await createSpace(ada, bob), await createSpace(ada, bob)];
    const made = [
      await ada.ask('POST', '/v1/tokens', {}),
      await ada.ask('POST', '/v1/me/calendar'),
      await ada.ask('POST', '/v1/devices', { ios_push_token: 'ab'.repeat(32) }),
      await ada.ask('POST', `/v1/spaces/${spaces[0]}/invites`, {}),
      await addPasskey(ada),
    ];
    for (const { status, body } of made) assert.equal(status, 200, JSON.stringify(body));
    const [now, secret] = [clock.now(), newId()];
    const provider = { issuer: 'https://id.example', client_id: 'web', refresh_token: null };
    await db
      .insertInto('identities')
      .values({ id: newId(), user_id, subject: user_id, created_at: now, ...provider })
      .execute();
    await db.insertInto('totp_steps').values({ user_id, purpose: 'sign_in', last_step: 1 }).execute();
    await db.insertInto('recovery_codes').values({ user_id, code_hash: secret }).execute();
    const client = { client_id: 'assistant', client_name: 'Assistant', client_host: null, redirect_uri: 'http://x' };
    const code = { code_hash: secret, user_id, challenge: 'x', rails: '{}', expires_at: now, token_id: null };
    await db
      .insertInto('connection_codes')
      .values({ ...code, ...client })
      .execute();
    const later = new Date(now.getTime() + 3_600_000);
    const undo = { old_email: 'old@example.org', new_email: ada.email, changed_at: now, mail_due_at: null };
    await db
      .insertInto('address_changes')
      .values({ id: newId(), user_id, expires_at: later, ...undo })
      .execute();
    const reset = { requested_by: bob.userId, requested_at: now, told_at: null, mail_due_at: null };
    await db
      .insertInto('second_factor_resets')
      .values({ id: newId(), user_id, due_at: later, ...reset })
      .execute();
    const challenge = { mode: 'sign_in', tries: 0, expires_at: later, identity_id: null, provider_sid: null };
    await db
      .insertInto('mfa_challenges')
      .values({ token_hash: secret, user_id, ...challenge })
      .execute();
    await createMany(ada, 3 * ROWS, {});
    await createMany(cem, 1, { owner_id: user_id });

    const access = ['access_tokens', 'address_changes', 'calendar_feeds', 'connection_codes', 'devices', 'identities'];
    const more = ['invites', 'mfa_challenges', 'passkeys', 'recovery_codes', 'second_factor_resets', 'sessions'];
    const rest = [...more, 'space_members', 'totp_steps'];
    const left = async () => (await tablesNaming(db, user_id)).filter((name) => [...access, ...rest].includes(name));
    assert.deepEqual((await left()).toSorted(), [...access, ...rest]);
    const told = await announcedBy(app, async () => {
      assert.equal((await ada.ask('DELETE', '/v1/me')).status, 200);
    });
    assert.ok(told.has(cem.userId), 'who asked her hears that she is gone');
    assert.ok((await countFollowUps(db)) > 0, 'the account is deleted by slices');
    assert.deepEqual(await left(), []);
    for (const space of spaces) {
      const { data } = (await bob.ask('GET', `/v1/spaces/${space}/members`)).body;
      assert.deepEqual(
        data.map(({ user_id, role }: { user_id: string; role: string }) => [user_id, role]),
        [[bob.userId, 'owner']],
      );
    }
    await runSlices();
    assert.deepEqual(await tablesNaming(db, user_id), []);
  });
});
