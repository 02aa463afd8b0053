/** An export has what its person has, all of it, and nothing of what belongs to others. */
import assert from 'node:assert/strict';
import { newId } from '../../src/lib/ids.ts';
import { connectApp } from '../support/caldav-client.ts';
import { onEveryEngineWith } from '../support/engines.ts';
import { createPerson, type Person, startWithAda } from '../support/people.ts';
import { joinSpace } from '../support/spaces.ts';
import type { TestApp } from '../support/test-app.ts';

const create = async (person: Person, task: object): Promise<string> =>
  (await person.ask('POST', '/v1/tasks', { title: 'x', ...task })).body.data.id;

const read = async (person: Person, query = '') => (await person.ask('GET', `/v1/me/export${query}`)).body.data;

/** One of everything, with this word in it. */
async function fill({ db, clock }: TestApp, person: Person, word: string): Promise<void> {
  const user_id = person.userId;
  const at = { created_at: clock.now() };
  const url = `https://${word}.example/hook`;
  await person.ask('POST', '/v1/tokens', { name: word });
  await person.ask('POST', '/v1/devices', { ios_push_token: user_id.replaceAll('-', '').repeat(2) });
  await person.ask('POST', '/v1/channels', { provider: 'webhook', fields: { url } });
  await person.ask('PUT', '/v1/labels', { labels: [{ label: word, colour: 'gold' }] });
  await person.ask('POST', '/v1/spaces', { name: word });
  const keys = { credential_id: word, public_key: word, counter: 0, transports: '', last_used_at: null };
  await db
    .insertInto('passkeys')
    .values({ id: newId(), user_id, name: word, ...keys, ...at })
    .execute();
  const change = { old_email: `old@${word}.example`, new_email: person.email, mail_due_at: null };
  const times = { changed_at: clock.now(), expires_at: new Date(clock.now().getTime() + 86_400_000) };
  await db
    .insertInto('address_changes')
    .values({ id: newId(), user_id, ...change, ...times })
    .execute();
  const identity = { issuer: `https://${word}.example`, subject: word, client_id: word, refresh_token: null };
  await db
    .insertInto('identities')
    .values({ id: newId(), user_id, ...identity, ...at })
    .execute();
}

onEveryEngineWith(startWithAda, (it) => {
  it('an export has one of everything that its person has, and nothing that another has', async ({ app, ada }) => {
    const grace = await createPerson(app);
    await fill(app, ada, 'adasown');
    await fill(app, grace, 'ofgrace');
    await app.db.updateTable('users').set({ hears_requests: false }).where('id', '=', ada.userId).execute();
    const data = await read(ada);
    const parts = ['spaces', 'access_tokens', 'devices', 'channels', 'labels', 'identities', 'passkeys'];
    for (const part of [...parts, 'address_changes']) assert.equal(data[part].length, 1, part);
    assert.ok(!JSON.stringify(data).includes('ofgrace'), JSON.stringify(data));
    assert.equal(data.request_messages, false);
    assert.equal((await read(grace)).request_messages, true);
  });

  it('of requests an export has what their assigner may see, once, and of stand-ins no task of another', async ({
    app,
    ada,
  }) => {
    const grace = await createPerson(app);
    const space_id = (await ada.ask('POST', '/v1/spaces', { name: 'Home' })).body.data.id;
    await joinSpace(space_id, ada, grace);
    const asked = await create(ada, { owner_id: grace.userId });
    const hers = await create(grace, { title: 'of Grace', space_id });
    const now = app.clock.now();
    const standIn = { space_id, label: null, from_rung: 0, passes_quiet_hours: false, asked_at: now, agreed_at: now };
    const rows = [
      { owner_id: grace.userId, person_id: ada.userId, task_id: hers },
      { owner_id: ada.userId, person_id: grace.userId, task_id: null },
    ].map((row) => ({ id: newId(), ...standIn, ...row }));
    await app.db.insertInto('stand_ins').values(rows).execute();
    const data = await read(ada);
    const shown = data.stand_ins.map(({ owner_id, task_id }: Record<string, unknown>) => [owner_id, task_id]);
    assert.deepEqual(new Map(shown), new Map([grace, ada].map(({ userId }) => [userId, null])));
    assert.ok(!JSON.stringify(data).includes(hers));
    const [request] = data.requests;
    assert.equal(request.id, asked);
    for (const field of ['max_stage', 'ladder', 'heads_ups', 'created_by_token', 'step', 'run'])
      assert.ok(!(field in request), field);
    const own = (await read(grace)).stand_ins.find(({ owner_id }: { owner_id: string }) => owner_id === grace.userId);
    assert.equal(own.task_id, hers);
    const later = await read(ada, `?after=${'0'.repeat(8)}-0000-7000-8000-000000000000`);
    assert.deepEqual(later.requests, []);
  });

  it('a part of an export has what an import takes, and the spelling of where it begins does not matter', async ({
    app,
    ada,
  }) => {
    const phone = await connectApp(app, ada);
    const first = await create(ada, { title: 'first' });
    await phone.put('a.ics', ['UID:a', 'SUMMARY:second', 'X-STRANGE:1']);
    const second = (await ada.ask('GET', '/v1/tasks')).body.data.find(
      ({ title }: { title: string }) => title === 'second',
    ).id;
    await ada.ask('POST', `/v1/tasks/${second}/complete`);
    for (const query of ['?importable=true', `?after=${first}`, `?after=${first.toUpperCase()}`]) {
      const { tasks, next_after } = await read(ada, query);
      const { outcomes, caldav_entries, timeline, task_changes, text_writers } = tasks.at(-1);
      assert.deepEqual([tasks.length, next_after], [query === '?importable=true' ? 2 : 1, null], query);
      assert.deepEqual([outcomes.length, caldav_entries.length], [1, 1], query);
      assert.deepEqual([timeline, task_changes, text_writers], [[], [], []], query);
      assert.deepEqual(Object.keys(caldav_entries[0]).sort(), ['is_deleted', 'kept', 'name', 'uid']);
    }
    assert.ok((await read(ada)).tasks.at(-1).timeline.length > 1);
    assert.equal(app.log.filter(({ audit }) => audit === 'account_exported').length, 4);
  });
});
