import assert from 'node:assert/strict';
import { Housekeeping } from '../../src/engine/housekeeping.ts';
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
    assert.equal(kept.length, 50);
    assert.equal(Object(kept[0]?.before).notes.length, 501);
    await scenario.advance('89d');
    await new Housekeeping(app.db, app.clock).runOnce();
    assert.ok((await app.db.selectFrom('task_changes').select('entry_id').execute()).length >= kept.length);
    await scenario.advance('2d');
    const later = personWith(app, ada.email, ada.userId, await openSession(app, ada.userId));
    const refused = (await restore(scenario, id, kept[0]?.id, later)).body;
    assert.match(refused.error, /^nothing_to_restore:/);
    await new Housekeeping(app.db, app.clock).runOnce();
    assert.deepEqual(await app.db.selectFrom('task_changes').selectAll().execute(), []);
  });

  it('occurrences that passed are missed: in the timeline and beside the outcome, until it is taken back', async () => {
    await using scenario = await startScenario(engine);
    const { ada } = scenario;
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
    await ada.ask('POST', `/v1/tasks/${id}/reopen`);
    assert.deepEqual((await ada.ask('GET', '/v1/outcomes/missed')).body.data, []);
  });
});
