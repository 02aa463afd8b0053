import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { mintToken } from '../support/agents.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startSlicedApp } from '../support/slices.ts';
import { startTestApp } from '../support/test-app.ts';
import { countTurns } from '../support/turns.ts';

const create = async (person: Person, title: string, fields: object): Promise<string> => {
  const { status, body } = await person.ask('POST', '/v1/tasks', { title, has_time: true, ...fields });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.id;
};

interface Entry {
  readonly date: string;
  readonly time: string | null;
  readonly title: string;
  readonly kind: string;
  readonly status: string;
  readonly next_nudge_at: string | null;
  readonly held_by: readonly string[];
  readonly missed: number | null;
}

async function read(person: Person, query: Record<string, string>): Promise<Entry[]> {
  const { status, body } = await person.ask('GET', `/v1/agenda?${new URLSearchParams(query)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const inShort = ({ date, time, title, kind, status }: Entry) =>
  `${date.slice(5)} ${time ?? 'all day'} ${title}: ${kind} ${status}`;

onEveryEngine((engine, it) => {
  test('an agenda has every occurrence, snooze and nudge of its days, in order of time, by the days of the person', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    // It is Monday, 2 March 2026, at 10:00 UTC: 05:00 in New York.
    await ada.ask('PATCH', '/v1/me', {
      timezone: 'America/New_York',
      quiet_hours_start: '22:00',
      quiet_hours_end: '07:00',
    });
    await create(ada, 'Pills', {
      due_at: '2026-02-27T08:00',
      recurrence: { freq: 'daily', by_time: ['08:00', '23:00'] },
    });
    await create(ada, 'Bins', { due_at: '2026-03-04T00:00', has_time: false, recurrence: { freq: 'weekly' } });
    await create(ada, 'Late show', { due_at: '2026-03-03T23:30' });
    await create(ada, 'Later', { due_at: '2026-03-05T00:15' });
    await create(ada, 'Passport', { due_at: '2026-03-20T12:00', lead_time_days: 17 });
    await create(ada, 'Water', { due_at: '2026-03-03T09:15', recurrence: { freq: 'daily', from: 'completion' } });
    const bread = await create(ada, 'Bread', { due_at: '2026-03-02T18:00' });
    await ada.ask('POST', `/v1/tasks/${bread}/snooze`, { until: '2026-03-03T12:00' });
    await create(bob, 'Request', { due_at: '2026-03-03T10:00', owner_id: ada.userId, recurrence: { freq: 'daily' } });
    await create(bob, 'Of Bob', { due_at: '2026-03-03T10:00' });
    const days = { from: '2026-03-03', until: '2026-03-04' };
    const entries = await read(ada, days);
    assert.deepEqual(entries.map(inShort), [
      '03-03 08:00 Pills: occurrence open',
      '03-03 09:00 Passport: nudge open',
      '03-03 09:15 Water: due open',
      '03-03 10:00 Request: due pending',
      '03-03 12:00 Bread: snoozed snoozed',
      '03-03 23:00 Pills: occurrence open',
      '03-03 23:30 Late show: due open',
      '03-04 all day Bins: due open',
      '03-04 08:00 Pills: occurrence open',
      '03-04 23:00 Pills: occurrence open',
    ]);
    const held = entries
      .filter(({ held_by }) => held_by.length > 0)
      .map(({ title, held_by, next_nudge_at }) => [title, ...held_by, next_nudge_at]);
    assert.deepEqual(held.slice(0, 2), [
      ['Pills', 'quiet_hours', '2026-03-04T12:00:00.000Z'],
      ['Late show', 'quiet_hours', '2026-03-04T12:00:00.000Z'],
    ]);
    await ada.ask('PUT', '/v1/me/pause/planned', {
      from: '2026-03-03T00:00',
      until: '2026-03-06T09:00',
      keep_must_not_miss: true,
    });
    const paused = (await read(ada, days)).find(({ title }) => title === 'Late show');
    assert.deepEqual([paused?.held_by, paused?.next_nudge_at], [['pause'], '2026-03-06T14:00:00.000Z']);
    // Page by page, the same, wherever a page begins.
    const paged: Entry[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { body, headers } = await ada.ask(
        'GET',
        `/v1/agenda?${new URLSearchParams({ ...days, limit: '1', ...(cursor && { cursor }) })}`,
      );
      assert.equal(body.data.length, 1, 'no page is empty');
      paged.push(...body.data);
      cursor = headers['x-next-cursor'] as string | undefined;
    }
    assert.deepEqual(paged.map(inShort), (await read(ada, days)).map(inShort));
  });

  test('what passed while an earlier occurrence was open is missed, before it is dealt with and afterwards', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const id = await create(ada, 'Pills', { due_at: '2026-02-27T08:00', recurrence: { freq: 'daily' } });
    const days = { from: '2026-02-27', until: '2026-03-02' };
    assert.deepEqual((await read(ada, days)).map(inShort), [
      '02-27 08:00 Pills: due overdue',
      '02-28 08:00 Pills: occurrence missed',
      '03-01 08:00 Pills: occurrence missed',
      '03-02 08:00 Pills: occurrence missed',
    ]);
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    const [missed, ...rest] = await read(ada, days);
    assert.deepEqual(
      [missed && inShort(missed), missed?.missed, rest],
      ['02-28 08:00 Pills: occurrence missed', 3, []],
    );
    assert.deepEqual((await read(ada, { ...days, task_id: id })).length, 1);
    const other = await create(ada, 'Other', { due_at: '2026-04-01T08:00' });
    assert.deepEqual(await read(ada, { ...days, task_id: other }), []);
    // Of days that begin in between, it is at their start.
    const later = await read(ada, { from: '2026-03-01', until: '2026-03-02' });
    assert.deepEqual(later.map(inShort), ['03-01 00:00 Pills: occurrence missed']);
  });

  it('an agenda has what comes after the first hundreds of tasks and of missed dates', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const early = [...Array(200).keys()].map((index) => ({ title: `${index}`, due_at: '2026-04-01T08:00:00' }));
    await ada.ask('POST', '/v1/me/import', { tasks: early });
    const task_id = await create(ada, 'Last', { due_at: '2026-05-01T08:00' });
    const ofMay = await read(ada, { from: '2026-05-01', until: '2026-05-01' });
    assert.deepEqual(
      ofMay.map(({ title }) => title),
      ['Last'],
    );
    const outcome = { owner_id: ada.userId, task_id, title: 'Missed', outcome: 'done', seconds_taken: 1, missed: 1 };
    const rows = [...Array(101).keys()].map((index) => {
      const at = new Date(Date.parse('2026-02-01T08:00:00Z') + index * 60_000);
      return { ...outcome, id: newId(), recorded_at: at, occurrence_due_at: at, missed_from: at, missed_to: at };
    });
    await app.db.insertInto('outcomes').values(rows).execute();
    assert.equal((await read(ada, { from: '2026-02-01', until: '2026-02-01', limit: '200' })).length, 101);
  });

  it('what is snoozed far from its date is in the agenda of the day on which the snooze ends, also in a pause', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const id = await create(ada, 'Tax', { due_at: '2026-03-02T09:00:00Z' });
    await ada.ask('POST', `/v1/tasks/${id}/snooze`, { until: '2026-03-12T12:00:00Z' });
    await ada.ask('POST', '/v1/me/pause', { until: '2026-03-30T00:00:00Z' });
    const entries = await read(ada, { from: '2026-03-12', until: '2026-03-12' });
    assert.deepEqual(entries.map(inShort), ['03-12 12:00 Tax: snoozed snoozed']);
  });

  it('an agenda has neither tasks nor missed dates of others, nor what was missed outside of its days', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const series = { due_at: '2026-02-27T08:00', recurrence: { freq: 'daily' } };
    const ids: Record<string, string> = {};
    for (const [name, person] of Object.entries({ ada, bob })) {
      ids[name] = await create(person, `Pills of ${name}`, series);
      await person.ask('POST', `/v1/tasks/${ids[name]}/complete`);
    }
    // Until now, 28 February to 2 March were missed.
    const titles = async (query: Record<string, string>) => (await read(ada, query)).map(({ title }) => title);
    assert.deepEqual(await titles({ from: '2026-02-20', until: '2026-03-02' }), ['Pills of ada']);
    assert.deepEqual(await titles({ from: '2026-02-20', until: '2026-02-27' }), []);
    // As if they were missed long before they were dealt with.
    const ended = new Date('2026-02-28T08:00:00Z');
    await app.db.updateTable('outcomes').set({ missed_to: ended, missed: 1 }).execute();
    assert.deepEqual(await titles({ from: '2026-03-01', until: '2026-03-02' }), []);
    // Each of the days to come has one occurrence.
    const days = { from: '2026-03-03', until: '2026-03-04' };
    assert.equal((await titles({ ...days, task_id: String(ids.ada).toUpperCase() })).length, 2);
    assert.deepEqual(await titles({ ...days, task_id: String(ids.bob) }), []);
  });

  it('an agenda follows settings that were just changed, before every plan is stored', async () => {
    const clock = new FakeClock();
    const { app, runSlices } = await startSlicedApp(engine, { clock });
    await using _ = app;
    const ada = await createPerson(app);
    for (const title of ['a', 'b', 'c', 'd']) await create(ada, title, { due_at: '2026-03-03T08:00' });
    await ada.ask('POST', '/v1/me/pause', { until: '2026-03-20T08:00:00Z' });
    const endOfPause = () => read(ada, { from: '2026-03-20', until: '2026-03-20' });
    const before = await endOfPause();
    assert.equal(before.length, 4, JSON.stringify(before));
    await runSlices();
    assert.deepEqual(await endOfPause(), before);
  });

  it('an agenda is bounded, refused with a reason, and read with turns in between', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const reasons: [query: Record<string, string>, where: string][] = [
      [{ from: '2026-03-09', until: '2026-03-08' }, 'until'],
      [{ from: '2026-01-01', until: '2027-02-05' }, 'until'],
      [{ from: '2026-02-30' }, 'from'],
      [{ from: 'tomorrow' }, 'from'],
      [{ cursor: 'x' }, 'cursor'],
      [{ limit: '201' }, 'limit'],
    ];
    assert.deepEqual(await read(ada, { from: '2026-01-01', until: '2027-02-04' }), [], '400 days');
    for (const [query, where] of reasons) {
      const { status, body } = await ada.ask('GET', `/v1/agenda?${new URLSearchParams(query)}`);
      assert.deepEqual([status, body.detail[0].loc], [422, ['query', where]], JSON.stringify(query));
    }
    const tasks = [...Array(120).keys()].map((index) => ({
      title: `Series ${index}`,
      due_at: '2016-03-01T08:00:00',
      has_time: true,
      recurrence: { freq: 'daily', count: 10_000 },
    }));
    await ada.ask('POST', '/v1/me/import', { format: 'crescendo', version: 1, tasks });
    const turns = await countTurns(
      read(ada, { from: '2026-03-05', until: '2027-03-05' }).then(({ length }) => assert.equal(length, 100)),
    );
    assert.ok(turns > tasks.length / 50, `${turns}`);
    const { token } = await mintToken(ada, { scopes: ['tasks:write'] });
    const refused = await app.ask({ method: 'GET', url: '/v1/agenda', headers: { authorization: `Bearer ${token}` } });
    assert.equal(refused.status, 403);
  });
});
