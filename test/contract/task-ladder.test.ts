import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mintToken } from '../support/agents.ts';
import { connect } from '../support/assistants.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { startTestApp } from '../support/test-app.ts';

const rung = (after: number | string, stage: number) => ({ after, stage });
const TENS = { rungs: [rung(0, 0), rung(10, 1)], end: { repeat_last: 1, times: null } };
const TWICE = { rungs: [rung(0, 0), rung(10, 1)], end: null };

/** It is Monday, 2 March 2026, at 09:00 UTC. */
const create = async (person: Person, fields: object = {}, token?: string): Promise<string> => {
  const task = { title: 'Task', due_at: '2026-03-02T12:00:00Z', has_time: true, ...fields };
  const { status, body } = await person.ask('POST', '/v1/tasks', task, token);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.id;
};

const get = async (person: Person, url: string) => (await person.ask('GET', url)).body.data;
const put = (person: Person, url: string, body: object, token?: string) => person.ask('PUT', url, body, token);
const ladderOf = (person: Person, id: string) => get(person, `/v1/tasks/${id}/ladder`);

interface Nudge {
  readonly at: string;
  readonly stage: number;
}
const times = (nudges: readonly Nudge[]) =>
  nudges.map(({ at, stage }) => `${at.slice(8, 16).replace('T', ' ')} ${stage}`);
const forecast = async (person: Person, id: string, limit = 3): Promise<string[]> =>
  times(await get(person, `/v1/tasks/${id}/forecast?limit=${limit}`));

onEveryEngine((engine, it) => {
  test('only its owner chooses the ladder and the heads-ups of a task; who sees the task reads them', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob, eve] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    const space_id = await createSpace(ada, bob);
    const { id: ladder_id } = (await ada.ask('POST', '/v1/ladders', { name: 'Mine', ...TENS })).body.data;
    const shared = await create(ada, { space_id });
    const asked = await create(bob, { space_id, owner_id: ada.userId });
    await ada.ask('POST', `/v1/tasks/${asked}/accept`);
    for (const id of [shared, asked]) {
      assert.equal((await put(ada, `/v1/tasks/${id}/ladder`, { ladder_id })).status, 200);
      // The names of her ladders are for Ada.
      const { name, ladder_id: shown, from, rungs } = await ladderOf(bob, id);
      assert.deepEqual([name, shown, from, rungs], [null, null, 'task', TENS.rungs]);
      assert.equal((await bob.ask('GET', `/v1/tasks/${id}/heads-ups`)).status, 200);
      const refused = [
        await put(bob, `/v1/tasks/${id}/ladder`, { preset: 'persistent' }),
        await bob.ask('DELETE', `/v1/tasks/${id}/ladder`),
        await bob.ask('POST', `/v1/tasks/${id}/ladder/preview`, { preset: 'persistent' }),
        await put(bob, `/v1/tasks/${id}/heads-ups`, { heads_ups: [] }),
      ];
      assert.deepEqual(
        refused.map(({ status }) => status),
        [403, 403, 403, 403],
      );
      for (const url of ['ladder', 'heads-ups'])
        assert.equal((await eve.ask('GET', `/v1/tasks/${id}/${url}`)).status, 404);
      assert.equal((await put(eve, `/v1/tasks/${id}/ladder`, { preset: 'gentle' })).status, 404);
      assert.equal((await ladderOf(ada, id)).name, 'Mine');
    }
    const foreign = await put(eve, `/v1/tasks/${await create(eve)}/ladder`, { ladder_id });
    assert.deepEqual([foreign.status, foreign.body.detail[0].loc], [422, ['body', 'ladder_id']]);
    await ada.ask('POST', `/v1/tasks/${shared}/complete`);
    assert.match((await put(ada, `/v1/tasks/${shared}/ladder`, { preset: 'gentle' })).body.error, /^task_closed/);
  });

  test('somebody else changes the label of a task, and its ladder stays', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const space_id = await createSpace(ada, bob);
    await put(ada, '/v1/ladders/labels', { label: 'calm', preset: 'gentle' });
    await put(ada, '/v1/ladders/labels', { label: 'loud', preset: 'persistent' });
    const id = await create(bob, { space_id, owner_id: ada.userId, kind: 'calm' });
    await ada.ask('POST', `/v1/tasks/${id}/accept`);
    await bob.ask('PATCH', `/v1/tasks/${id}`, { kind: 'loud' });
    const { preset, from, label, counting_label } = await ladderOf(ada, id);
    assert.deepEqual([preset, from, label, counting_label], ['gentle', 'label', 'calm', 'calm']);
    // The label that is shown is another one, and a choice that is taken back leads to this one.
    const chosen = await put(ada, `/v1/tasks/${id}/ladder`, { preset: 'daily' });
    assert.equal(chosen.body.data.counting_label, 'calm');
    await ada.ask('DELETE', `/v1/tasks/${id}/ladder`);
    assert.equal((await ladderOf(ada, id)).preset, 'gentle');
    assert.deepEqual(await forecast(ada, id), ['02 12:00 0', '02 13:00 0', '02 17:00 1']);
    await ada.ask('PATCH', `/v1/tasks/${id}`, { kind: 'other' });
    await ada.ask('PATCH', `/v1/tasks/${id}`, { kind: 'loud' });
    assert.equal((await ladderOf(ada, id)).preset, 'persistent');
  });

  test('a preview shows the nudges and their holds as they would be, and stores nothing', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    await ada.ask('PATCH', '/v1/me', { quiet_hours_start: '12:05', quiet_hours_end: '13:00' });
    const id = await create(ada);
    const updated = (await get(ada, `/v1/tasks/${id}`)).updated_at;
    const url = `/v1/tasks/${id}/ladder/preview`;
    const { nudges, fitted } = (await ada.ask('POST', url, { ...TENS, limit: 3 })).body.data;
    assert.deepEqual(times(nudges), ['02 12:00 0', '02 13:00 1', '02 13:10 1']);
    assert.deepEqual([nudges[1].wanted_at, nudges[1].holds], ['2026-03-02T12:10:00.000Z', ['quiet_hours']]);
    assert.deepEqual(fitted, []);
    assert.equal((await ladderOf(ada, id)).from, 'service');
    assert.equal((await get(ada, `/v1/tasks/${id}`)).updated_at, updated);
    assert.equal((await ada.ask('POST', url, { rungs: [rung(0, 0), rung(2, 1)] })).status, 422);
    const chosen = await put(ada, `/v1/tasks/${id}/ladder`, TENS);
    assert.deepEqual(chosen.body.data, {
      ...TENS,
      name: null,
      preset: null,
      ladder_id: null,
      from: 'task',
      label: null,
      counting_label: 'todo',
      fitted: [],
    });
    assert.deepEqual(await get(ada, `/v1/tasks/${id}/forecast?limit=3`), nudges);
    // A token that chooses what is chosen already brings no nudges, so its limits do not count.
    const { token } = await mintToken(ada, { max_stage: 0 });
    const same = (await ada.ask('POST', url, { ...TENS, limit: 3 }, token)).body.data;
    assert.deepEqual(same, { nudges, fitted: [] });
    assert.deepEqual((await put(ada, `/v1/tasks/${id}/ladder`, TENS, token)).body.data.fitted, []);
    const other = (await ada.ask('POST', url, { ...TWICE, limit: 3 }, token)).body.data;
    assert.deepEqual([times(other.nudges), other.fitted], [['02 12:00 0', '02 13:00 0'], ['stage_limited']]);
  });

  test('a change of the ladder holds from the next nudge on, stands in the timeline, and can be put back', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const id = await create(ada);
    await app.clock.advance('3h');
    assert.deepEqual(await forecast(ada, id, 1), ['02 12:15 1']);
    await put(ada, `/v1/tasks/${id}/ladder`, TWICE);
    assert.deepEqual(await forecast(ada, id), ['02 12:10 1']);
    const [entry] = await get(ada, `/v1/tasks/${id}/timeline`);
    assert.deepEqual(
      [entry.kind, entry.by, entry.fields, entry.before],
      ['edited', 'owner', ['ladder'], { ladder: null }],
    );
    // The same again changes nothing.
    await put(ada, `/v1/tasks/${id}/ladder`, TWICE);
    assert.equal((await get(ada, `/v1/tasks/${id}/timeline`))[0].id, entry.id);
    await app.clock.advance('30m');
    const ended = await get(ada, `/v1/tasks/${id}`);
    assert.deepEqual([ended.nudge_count, ended.next_fire_at, ended.escalation_stage], [2, null, 1]);
    assert.deepEqual(await forecast(ada, id), []);
    await put(ada, `/v1/tasks/${id}/heads-ups`, { heads_ups: [{ hours: 2 }] });
    const [, headsUps] = [0, (await get(ada, `/v1/tasks/${id}/timeline`))[0]];
    assert.deepEqual([headsUps.fields, headsUps.before], [['heads_ups'], { heads_ups: null }]);
    for (const { id: entryId } of [headsUps, entry])
      assert.equal((await ada.ask('POST', `/v1/tasks/${id}/timeline/${entryId}/restore`)).status, 200);
    assert.equal((await ladderOf(ada, id)).from, 'service');
    assert.deepEqual(await get(ada, `/v1/tasks/${id}/heads-ups`), { heads_ups: [] });
    // The ladder goes on, so a nudge may already stand above the edit.
    const entries: readonly { kind: string; before: unknown }[] = await get(ada, `/v1/tasks/${id}/timeline`);
    assert.deepEqual(entries.find(({ kind }) => kind === 'edited')?.before, { ladder: TWICE });
  });

  it('a task has heads-ups in minutes, hours and days, and the first one in days is its lead time', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const id = await create(ada, { due_at: '2026-03-06T12:00:00Z', lead_time_days: 3 });
    const url = `/v1/tasks/${id}/heads-ups`;
    assert.deepEqual(await get(ada, url), { heads_ups: [{ days: 3 }] });
    const heads_ups = [{ minutes: 30 }, { days: 2 }, { hours: 3 }, { days: 1 }, { minutes: 30 }];
    const expected = { heads_ups: [{ days: 2 }, { minutes: 30 }, { hours: 3 }, { days: 1 }] };
    assert.deepEqual((await put(ada, url, { heads_ups })).body.data, expected);
    assert.equal((await get(ada, `/v1/tasks/${id}`)).lead_time_days, 2);
    const nudges = ['04 09:00 -1', '05 09:00 -1', '06 09:00 -1', '06 11:30 -1', '06 12:00 0'];
    assert.deepEqual(await forecast(ada, id, 5), nudges);
    await ada.ask('PATCH', `/v1/tasks/${id}`, { lead_time_days: null });
    assert.deepEqual(await get(ada, url), { heads_ups: [{ minutes: 30 }, { hours: 3 }, { days: 1 }] });
    await put(ada, url, { heads_ups: [] });
    assert.deepEqual(await forecast(ada, id, 1), ['06 12:00 0']);
    const tooMany = [5, 6, 7, 8, 9, 10].map((minutes) => ({ minutes }));
    for (const [wrong, said] of [
      [[{}], /Send one of minutes, hours and days/],
      [[{ minutes: 5, hours: 1 }], /Send one of/],
      [[{ minutes: 0 }], /greater than or equal to 1/],
      [[{ days: 31 }], /less than or equal to 30/],
      [tooMany, /at most 5/],
      [[...tooMany, { days: 1 }], /7 items|fewer than 6|items/],
    ] as const) {
      const { status, body } = await put(ada, url, { heads_ups: wrong });
      assert.equal(status, 422);
      assert.match(body.detail[0].msg, said);
    }
  });

  it('the task says in what its nudges depart from its ladder', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const id = await create(ada);
    const fitted = async (fields: object) => {
      await ada.ask('PATCH', `/v1/tasks/${id}`, fields);
      return (await ladderOf(ada, id)).fitted;
    };
    await put(ada, `/v1/tasks/${id}/ladder`, TWICE);
    assert.deepEqual(await fitted({}), []);
    assert.deepEqual(await fitted({ break_quiet_hours: true }), ['repeats_although_ended']);
    assert.deepEqual(await forecast(ada, id, 4), ['02 12:00 0', '02 12:10 1', '02 12:20 1', '02 12:30 1']);
    assert.deepEqual(await fitted({ mode: 'notify_once' }), ['once_only']);
    assert.deepEqual(await forecast(ada, id), ['02 12:00 0']);
  });

  it('a token has a shortest wait, which its owner sets, and no change by it brings nudges closer together', async () => {
    await using app = await startTestApp(engine);
    const [ada, eve] = [await createPerson(app), await createPerson(app)];
    const { id: tokenId, token } = await mintToken(ada);
    const rail = `/v1/tokens/${tokenId}/shortest-wait`;
    assert.deepEqual(await get(ada, rail), { minutes: null });
    const own = await create(ada, { kind: 'calm' });
    assert.deepEqual((await put(ada, rail, { minutes: 30 })).body.data, { minutes: 30 });
    assert.deepEqual(await get(ada, rail), { minutes: 30 });
    assert.equal((await put(eve, rail, { minutes: null })).status, 404);
    assert.equal((await eve.ask('GET', rail)).status, 404);
    assert.equal((await put(ada, rail, { minutes: null }, token)).status, 403);
    assert.equal((await put(ada, rail, { minutes: 0 })).status, 422);
    // The record of a token has exactly its fields.
    assert.equal('shortest_wait' in (await get(ada, '/v1/tokens'))[0], false);

    const refused = await put(ada, `/v1/tasks/${own}/ladder`, { preset: 'persistent' }, token);
    assert.deepEqual([refused.status, /^not_allowed: .*under 30 minutes/.test(refused.body.error)], [403, true]);
    const made = await create(ada, {}, token);
    assert.deepEqual(await forecast(ada, made), ['02 12:00 0', '02 12:30 1', '02 13:00 1']);
    assert.deepEqual((await ladderOf(ada, made)).fitted, ['waits_limited_by_token']);

    // What brings no nudges leaves the task as it is; a label that brings a ladder does not.
    await ada.ask('PATCH', `/v1/tasks/${own}`, { title: 'Renamed', kind: 'other' }, token);
    assert.deepEqual(await forecast(ada, own, 2), ['02 12:00 0', '02 12:15 1']);
    await put(ada, '/v1/ladders/labels', { label: 'loud', preset: 'persistent' });
    await ada.ask('PATCH', `/v1/tasks/${own}`, { kind: 'loud' }, token);
    assert.deepEqual(await forecast(ada, own, 2), ['02 12:00 0', '02 12:30 1']);
    const urgent = await create(ada);
    await ada.ask('PATCH', `/v1/tasks/${urgent}`, { break_quiet_hours: true }, token);
    assert.deepEqual((await ladderOf(ada, urgent)).fitted, ['waits_limited_by_token']);
    // Choosing with a session is the owner's own word.
    await put(ada, `/v1/tasks/${own}/ladder`, TENS);
    assert.deepEqual(await forecast(ada, own, 2), ['02 12:00 0', '02 12:10 1']);
    // The same ladder too, which a token has limited since. Heads-ups say nothing about it.
    await ada.ask('PATCH', `/v1/tasks/${own}`, { break_quiet_hours: true }, token);
    await put(ada, `/v1/tasks/${own}/heads-ups`, { heads_ups: [{ minutes: 5 }] });
    await put(ada, `/v1/tasks/${own}/ladder`, TENS, token);
    assert.deepEqual((await ladderOf(ada, own)).fitted, ['waits_limited_by_token']);
    const previewed = (await ada.ask('POST', `/v1/tasks/${own}/ladder/preview`, TENS)).body.data.fitted;
    const again = (await put(ada, `/v1/tasks/${own}/ladder`, TENS)).body.data.fitted;
    assert.deepEqual([previewed, again, (await ladderOf(ada, own)).fitted], [[], [], []]);
    assert.deepEqual(await forecast(ada, own, 2), ['02 11:55 -1', '02 12:00 0']);
    await ada.ask('PATCH', `/v1/tasks/${urgent}`, { title: 'Renamed' });
    assert.deepEqual((await ladderOf(ada, urgent)).fitted, ['waits_limited_by_token']);
    assert.deepEqual((await ada.ask('DELETE', `/v1/tasks/${urgent}/ladder`)).body.data.fitted, []);
    const allowed = await put(ada, `/v1/tasks/${own}/ladder`, { rungs: [rung(0, 0), rung(45, 1)] }, token);
    assert.deepEqual(allowed.body.data.end, { repeat_last: 1, times: null });
  });

  it('an assistant that connects again keeps the shortest wait of its connection', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    await connect(app, ada);
    const [first] = await get(ada, '/v1/tokens');
    await put(ada, `/v1/tokens/${first.id}/shortest-wait`, { minutes: 60 });
    await app.clock.advance('1m');
    await connect(app, ada);
    const [second] = await get(ada, '/v1/tokens');
    assert.notEqual(second.id, first.id);
    assert.deepEqual(await get(ada, `/v1/tokens/${second.id}/shortest-wait`), { minutes: 60 });
  });
});
