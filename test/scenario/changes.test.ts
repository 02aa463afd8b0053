import assert from 'node:assert/strict';
import { Housekeeping } from '../../src/engine/housekeeping.ts';
import { mintToken } from '../support/agents.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, openSession, personWith } from '../support/people.ts';
import { type Scenario, startScenario } from '../support/scenario.ts';
import { createSpace } from '../support/spaces.ts';

const DUE = { due_at: '2026-03-03T10:00:00Z', has_time: true };
const DAILY = { freq: 'daily', by_time: ['08:00', '20:00'] };

type Entry = Readonly<Record<string, unknown>> & { readonly id: string; readonly kind: string };

async function timelineOf({ ada }: Scenario, id: string, person = ada): Promise<Entry[]> {
  return (await person.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
}

const storedRun = ({ app }: Scenario, id: string) =>
  app.db.selectFrom('tasks').select('run').where('id', '=', id).executeTakeFirstOrThrow();

const restore = ({ ada }: Scenario, id: string, entryId: string | undefined, person = ada) =>
  person.ask('POST', `/v1/tasks/${id}/timeline/${entryId}/restore`);

onEveryEngine((engine, it) => {
  it('every change stands in the timeline with its fields, and what it replaced comes back', async () => {
    await using scenario = await startScenario(engine);
    const { ada } = scenario;
    const before = await scenario.create({ ...DUE, notes: 'two with water', kind: 'health', lead_time_days: 1 });
    const changes = {
      title: 'vitamins',
      notes: null,
      kind: 'body',
      mode: 'notify_once',
      break_quiet_hours: true,
      lead_time_days: 2,
    };
    for (const [name, value] of Object.entries(changes)) {
      await ada.ask('PATCH', `/v1/tasks/${before.id}`, { [name]: value });
      const [entry] = await timelineOf(scenario, before.id);
      assert.deepEqual([entry?.kind, entry?.by, entry?.fields], ['edited', 'owner', [name]]);
      assert.deepEqual(entry?.before, { [name]: before[name] });
      assert.equal((await restore(scenario, before.id, entry?.id)).status, 200);
      assert.deepEqual((await scenario.read(before.id))[name], before[name], name);
    }
    await ada.ask('PATCH', `/v1/tasks/${before.id}`, { title: 'pills' });
    const edits = (await timelineOf(scenario, before.id)).filter(({ kind }) => kind === 'edited');
    assert.equal(edits.length, 2 * Object.keys(changes).length);
  });

  it('the owner puts back what an assigner changed, date and rule included; the assigner cannot', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada } = scenario;
    const bob = await createPerson(app, 'bob@example.org');
    const space = await createSpace(ada, bob);
    const body = { title: 'bins', owner_id: ada.userId, space_id: space, ...DUE, recurrence: { freq: 'weekly' } };
    const { id } = (await bob.ask('POST', '/v1/tasks', body)).body.data;
    await ada.ask('POST', `/v1/tasks/${id}/accept`);
    const before = (await ada.ask('GET', `/v1/tasks/${id}`)).body.data;
    await bob.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-02T09:30:00Z', recurrence: { freq: 'minutely' } });
    const [entry] = await timelineOf(scenario, id);
    assert.deepEqual([entry?.kind, entry?.by, entry?.fields], ['rescheduled', 'assigner', ['due_at', 'recurrence']]);
    assert.equal((await timelineOf(scenario, id, bob))[0]?.before, null);
    assert.equal((await restore(scenario, id, entry?.id, bob)).status, 403);
    assert.equal((await restore(scenario, id, entry?.id)).status, 200);
    const after = await scenario.read(id);
    assert.deepEqual([after.due_at, after.recurrence], [before.due_at, before.recurrence]);
    // Its first date counts as before, so the series goes on as if nothing had happened.
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    assert.equal((await ada.ask('GET', `/v1/tasks/${id}`)).body.data.due_at, '2026-03-10T10:00:00.000Z');
  });

  it('a schedule that comes back after its date goes on with the next occurrence', async () => {
    await using scenario = await startScenario(engine);
    const { ada } = scenario;
    const { id } = await scenario.create({
      due_at: '2026-03-02T10:00:00Z',
      has_time: true,
      recurrence: { freq: 'daily' },
    });
    await ada.ask('PATCH', `/v1/tasks/${id}`, { recurrence: { freq: 'yearly' } });
    const [entry] = await timelineOf(scenario, id);
    await scenario.advance('3h');
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    assert.equal((await restore(scenario, id, entry?.id)).status, 200);
    const after = await scenario.read(id);
    assert.deepEqual([after.due_at, after.recurrence], ['2026-03-03T10:00:00.000Z', { freq: 'daily' }]);
  });

  it('a date that passes before it comes back comes back as it was, if nothing was closed since', async () => {
    await using scenario = await startScenario(engine);
    const { ada } = scenario;
    const due_at = '2026-03-02T10:00:00.000Z';
    const { id } = await scenario.create({ due_at, has_time: true, recurrence: { freq: 'daily' } });
    await ada.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-05T10:00:00Z' });
    const [entry] = await timelineOf(scenario, id);
    await scenario.advance('3h');
    assert.equal((await restore(scenario, id, entry?.id)).status, 200);
    assert.equal((await scenario.read(id)).due_at, due_at);
  });

  it('what was replaced in one task is put back into no other', async () => {
    await using scenario = await startScenario(engine);
    const [one, other] = [await scenario.create({ title: 'one' }), await scenario.create({ title: 'other' })];
    await scenario.ada.ask('PATCH', `/v1/tasks/${one.id}`, { title: 'changed' });
    const [entry] = await timelineOf(scenario, one.id);
    assert.match((await restore(scenario, other.id, entry?.id)).body.error, /^nothing_to_restore:/);
    assert.equal((await scenario.read(other.id)).title, 'other');
  });

  it('of one task so many changes are kept, for 90 days', async () => {
    await using scenario = await startScenario(engine);
    const { ada, app } = scenario;
    const { id } = await scenario.create({ notes: 'first' });
    for (let count = 0; count <= 50; count += 1)
      await ada.ask('PATCH', `/v1/tasks/${id}`, { notes: `${count} ${'x'.repeat(600)}` });
    const kept = (await timelineOf(scenario, id)).filter(({ before }) => before !== null);
    // A page of the timeline has no more anyway.
    const stored = await app.db.selectFrom('task_changes').select('entry_id').execute();
    assert.deepEqual([kept.length, stored.length], [50, 50]);
    assert.equal(Object(kept[0]?.before).notes.length, 501);
    await scenario.advance('89d');
    await new Housekeeping(app.db, app.clock).runOnce();
    assert.ok((await app.db.selectFrom('task_changes').select('entry_id').execute()).length >= kept.length);
    await scenario.advance('2d');
    const later = personWith(app, ada.email, ada.userId, await openSession(app, ada.userId));
    const refused = (await restore(scenario, id, kept[0]?.id, later)).body;
    assert.match(refused.error, /^nothing_to_restore:/);
    assert.ok((await timelineOf(scenario, id, later)).every(({ before }) => before === null));
    await new Housekeeping(app.db, app.clock).runOnce();
    assert.deepEqual(await app.db.selectFrom('task_changes').selectAll().execute(), []);
  });

  it('occurrences that passed are missed: in the timeline and beside the outcome, until it is taken back', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada } = scenario;
    const { id } = await scenario.create({ due_at: '2026-03-02T20:00:00Z', has_time: true, recurrence: DAILY });
    await scenario.advance('2d');
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    const [done, missed] = await timelineOf(scenario, id);
    const [first, last] = ['2026-03-03T08:00:00.000Z', '2026-03-04T08:00:00.000Z'];
    assert.deepEqual([done?.kind, missed?.kind, missed?.by, missed?.missed], ['done', 'missed', null, 3]);
    assert.deepEqual([missed?.occurrence_due_at, missed?.until], [first, last]);
    const listed = (await ada.ask('GET', '/v1/outcomes/missed')).body.data;
    assert.deepEqual(
      listed.map((one: Entry) => [one.task_id, one.outcome, one.missed, one.missed_from, one.missed_to]),
      [[id, 'done', 3, first, last]],
    );
    const outcomes = (await ada.ask('GET', '/v1/outcomes')).body.data;
    assert.deepEqual([outcomes.length, 'missed' in outcomes[0]], [1, false]);
    const eve = await createPerson(app);
    const since = `/v1/outcomes/missed?since=${new Date(app.clock.now().getTime() + 1).toISOString()}`;
    assert.deepEqual((await eve.ask('GET', '/v1/outcomes/missed')).body.data, []);
    assert.deepEqual((await ada.ask('GET', since)).body.data, []);
    await ada.ask('POST', `/v1/tasks/${id}/reopen`);
    assert.deepEqual((await ada.ask('GET', '/v1/outcomes/missed')).body.data, []);
  });

  it('occurrences that passed are missed too if the series ends with the one that is closed', async () => {
    await using scenario = await startScenario(engine);
    const { ada } = scenario;
    const series = { due_at: '2026-03-02T10:00:00Z', has_time: true, recurrence: { freq: 'daily', count: 3 } };
    const { id } = await scenario.create(series);
    await scenario.advance('5d');
    assert.equal((await ada.ask('POST', `/v1/tasks/${id}/skip`)).body.data.status, 'skipped');
    const [listed] = (await ada.ask('GET', '/v1/outcomes/missed')).body.data;
    assert.deepEqual(
      [listed.outcome, listed.missed, listed.missed_from, listed.missed_to],
      ['skipped', 2, '2026-03-03T10:00:00.000Z', '2026-03-04T10:00:00.000Z'],
    );
  });

  it('a new rule begins anew: it counts from its own first date, and what was closed before is not opened again', async () => {
    await using scenario = await startScenario(engine);
    const { ada } = scenario;
    const twice = { freq: 'daily', from: 'completion', count: 2 };
    const { id } = await scenario.create({ ...DUE, recurrence: twice });
    const act = async (name: string) => (await ada.ask('POST', `/v1/tasks/${id}/${name}`)).body.data;
    const { due_at } = await act('complete');
    await ada.ask('PATCH', `/v1/tasks/${id}`, { recurrence: { ...twice, interval: 2 } });
    assert.equal((await act('reopen')).due_at, due_at);
    assert.equal((await ada.ask('GET', '/v1/stats')).body.data.done, 1);
    assert.equal((await act('complete')).status, 'open');
    assert.equal((await act('complete')).status, 'done');
  });

  it('an occurrence that is moved is no longer snoozed, and its reminders begin anew', async () => {
    await using scenario = await startScenario(engine);
    const { ada } = scenario;
    const { id } = await scenario.create({ ...DUE, due_at: '2026-03-02T10:00:00Z', recurrence: { freq: 'weekly' } });
    await scenario.advance('3h');
    const move = async (due_at: string) => {
      assert.equal((await ada.ask('POST', `/v1/tasks/${id}/move`, { due_at })).status, 200);
      const { deferred_until } = await scenario.read(id);
      const [next, second] = (await ada.ask('GET', `/v1/tasks/${id}/forecast`)).body.data;
      return [deferred_until, next.at, next.stage, second.stage];
    };
    const moved = '2026-03-03T10:00:00.000Z';
    assert.deepEqual(await move(moved), [null, moved, 0, 1]);
    await ada.ask('POST', `/v1/tasks/${id}/snooze`, { until: '2026-03-05T10:00:00Z' });
    const again = '2026-03-04T10:00:00.000Z';
    assert.deepEqual(await move(again), [null, again, 0, 1]);
    // So they do with another mode.
    const { run } = await storedRun(scenario, id);
    await ada.ask('PATCH', `/v1/tasks/${id}`, { mode: 'notify_once' });
    assert.equal((await storedRun(scenario, id)).run, run + 1);
  });

  it('what comes back ends a snooze and cannot be undone, and a date comes back with its reminders', async () => {
    await using scenario = await startScenario(engine);
    const { ada } = scenario;
    const { id } = await scenario.create({ due_at: '2026-03-02T10:00:00Z', has_time: true, recurrence: DAILY });
    await ada.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-04T10:00:00Z' });
    const [entry] = await timelineOf(scenario, id);
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    await ada.ask('POST', `/v1/tasks/${id}/snooze`, { until: '2026-03-20T10:00:00Z' });
    assert.equal((await restore(scenario, id, entry?.id)).status, 200);
    const back = await scenario.read(id);
    assert.deepEqual([back.due_at, back.deferred_until], ['2026-03-02T10:00:00.000Z', null]);
    await ada.ask('POST', `/v1/tasks/${id}/reopen`);
    assert.equal((await scenario.read(id)).due_at, back.due_at);
    // Climbed, then moved away and back: the first nudge of the date is the weakest again.
    await scenario.advance('90m');
    await ada.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-04T10:00:00Z' });
    const [away] = await timelineOf(scenario, id);
    const { run } = await storedRun(scenario, id);
    assert.equal((await restore(scenario, id, away?.id)).status, 200);
    assert.equal((await storedRun(scenario, id)).run, run + 1);
  });

  it('what the owner takes out of the space and renames in one step can be put back, although its assigner is gone', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada } = scenario;
    const bob = await createPerson(app);
    const body = { title: 'bins', owner_id: ada.userId, space_id: await createSpace(ada, bob) };
    const { id } = (await bob.ask('POST', '/v1/tasks', body)).body.data;
    await ada.ask('POST', `/v1/tasks/${id}/accept`);
    await ada.ask('PATCH', `/v1/tasks/${id}`, { title: 'mine', space_id: null });
    const [entry] = await timelineOf(scenario, id);
    assert.deepEqual([entry?.kind, entry?.before], ['edited', { title: 'bins' }]);
    assert.equal((await restore(scenario, id, entry?.id)).status, 200);
    assert.equal((await scenario.read(id)).title, 'bins');
  });

  it('of a closed task only its title and notes come back', async () => {
    await using scenario = await startScenario(engine);
    const { ada } = scenario;
    const { id } = await scenario.create(DUE);
    for (const change of [{ title: 'tablets' }, { mode: 'notify_once' }])
      await ada.ask('PATCH', `/v1/tasks/${id}`, change);
    const [mode, title] = await timelineOf(scenario, id);
    await ada.ask('POST', `/v1/tasks/${id}/drop`);
    assert.match((await restore(scenario, id, mode?.id)).body.error, /^task_closed:/);
    assert.equal((await restore(scenario, id, title?.id)).status, 200);
    const { status, title: shown } = await scenario.read(id);
    assert.deepEqual([status, shown], ['dropped', 'pills']);
  });

  it('nobody passes for the writer of a text that was put back', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada } = scenario;
    const bob = await createPerson(app);
    const { id } = (await bob.ask('POST', '/v1/tasks', { title: 'from Bob', owner_id: ada.userId })).body.data;
    const { token } = await mintToken(ada);
    const writer = async () => (await ada.ask('GET', `/v1/tasks/search?ids=${id}`)).body.data[0].written_by;
    for (const by of [ada.sessionToken, token]) {
      await ada.ask('PATCH', `/v1/tasks/${id}`, { title: 'from Ada' });
      const [entry] = await timelineOf(scenario, id);
      await ada.ask('POST', `/v1/tasks/${id}/timeline/${entry?.id}/restore`, undefined, by);
      assert.deepEqual(await writer(), { kind: 'unknown', name: null });
    }
    const stored = await app.db.selectFrom('text_writers').select('token_id').execute();
    assert.ok(stored.every(({ token_id }) => token_id === null));
  });
});
