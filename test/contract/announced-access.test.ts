/** Whom the end of an access concerns, and a reset of a second factor, as it is announced to the open web apps (`live/`). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/lib/ids.ts';
import { insertIdentity } from '../../src/sign-in/provider/identities.store.ts';
import { deleteOwnSessions, deleteProviderSessions } from '../../src/sign-in/provider/provider-sessions.store.ts';
import {
  deleteReset,
  deleteResetsBy,
  deleteUntoldResets,
  insertReset,
  takeDueReset,
} from '../../src/sign-in/second-factor-resets.store.ts';
import { announcedBy } from '../support/announced.ts';
import { BILLING, bodyOf, send } from '../support/billing.ts';
import { onlyOn } from '../support/engines.ts';
import { createPerson, makeAdmin, openSession, type Person } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

async function succeed(person: Person, ...request: Parameters<Person['ask']>) {
  const { status, body } = await person.ask(...request);
  assert.equal(status, 200, `${request.slice(0, 2).join(' ')}: ${JSON.stringify(body)}`);
  return body.data;
}

onlyOn('sqlite', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite', { settings: BILLING });
  });
  after(() => app[Symbol.asyncDispose]());

  const announced = (work: () => Promise<unknown>) => announcedBy(app, work);

  test('the screens of a session hear that it ended, however it did', async () => {
    const boss = await createPerson(app);
    await makeAdmin(app, boss);
    const ways: Record<string, (ada: Person) => Promise<unknown>> = {
      'signing out': (ada) => succeed(ada, 'DELETE', '/v1/auth/session'),
      'signing out another': async (ada) => {
        const token = await openSession(app, ada.userId);
        const [{ id }] = await succeed(ada, 'GET', '/v1/auth/sessions');
        await ada.ask('DELETE', `/v1/auth/sessions/${id}`, undefined, token);
      },
      'signing out everywhere': async (ada) => {
        await openSession(app, ada.userId);
        await succeed(ada, 'POST', '/v1/me/access/end', { sessions: true, ids: [] });
      },
      'an administrator': (ada) => succeed(boss, 'DELETE', `/v1/admin/people/${ada.userId}/sessions`),
      'signing out at the provider': async ({ userId }) => {
        const identity = { id: newId(), user_id: userId, issuer: 'https://id.test', subject: userId, client_id: 'app' };
        await insertIdentity(app.db, { ...identity, refresh_token: null, created_at: app.clock.now() });
        await openSession(app, userId);
        const begun = app.db.updateTable('sessions').set({ identity_id: identity.id });
        await begun.where('user_id', '=', userId).execute();
        assert.equal(await deleteProviderSessions(app.db, { identityId: identity.id }), 2);
      },
      'signing in at the provider': ({ userId }) => transact(app.db, (trx) => deleteOwnSessions(trx, userId)),
    };
    for (const [name, end] of Object.entries(ways)) {
      const ada = await createPerson(app);
      assert.ok((await announced(() => end(ada))).has(ada.userId), name);
    }
  });

  test('a person hears that a reset of their second factor was asked for, stopped or given up', async () => {
    const { userId } = await createPerson(app);
    const now = app.clock.now();
    const reset = { id: newId(), user_id: userId, requested_by: userId, requested_at: now, told_at: null };
    const ask = () => insertReset(app.db, { ...reset, due_at: now, mail_due_at: null });
    assert.ok((await announced(ask)).has(userId));
    assert.ok((await announced(() => deleteReset(app.db, userId))).has(userId));
    await ask();
    assert.ok((await announced(() => deleteUntoldResets(app.db, now))).has(userId));
  });

  test('a person hears that a reset ended with its administrator, at once or when it was due', async () => {
    const [{ userId }, boss] = [await createPerson(app), await createPerson(app)];
    // Long after the time of the service, so that its own loop does not find it due.
    const due_at = new Date('2099-01-01');
    const asked = { requested_by: boss.userId, requested_at: due_at, told_at: due_at };
    const reset = { id: newId(), user_id: userId, ...asked, due_at, mail_due_at: null };
    const ends: Record<string, () => Promise<unknown>> = {
      'at once': () => deleteResetsBy(app.db, boss.userId),
      due: () => transact(app.db, (trx) => takeDueReset(trx, reset.id, due_at)),
    };
    for (const [name, end] of Object.entries(ends)) {
      await insertReset(app.db, reset);
      assert.deepEqual([...(await announced(end))], [userId], name);
    }
  });

  test('a person hears that a purchase changed their plan', async () => {
    const { userId } = await createPerson(app);
    const event = { id: newId(), type: 'INITIAL_PURCHASE', app_user_id: userId, expiration_at_ms: 4e12 };
    const told = await announced(async () => assert.equal((await send(app, bodyOf(event))).status, 200));
    assert.ok(told.has(userId));
  });
});
