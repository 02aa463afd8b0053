/** What a change of settings stores with the tasks that are there already. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';

/** With a time, for a day, with a heads-up, and due in the middle of quiet hours. */
const TASKS = [
  { due_at: '2026-03-05T10:00:00Z', has_time: true },
  { due_at: '2026-03-05T00:00:00' },
  { due_at: '2026-03-09T00:00:00', lead_time_days: 2 },
  { due_at: '2026-03-05T23:00:00Z', has_time: true, recurrence: { freq: 'daily' } },
];

onEveryEngine((engine) => {
  test('after a change of settings every task is stored as if it were new', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const settings = {
      timezone: 'Asia/Tokyo',
      day_start: '06:00',
      quiet_hours_start: '07:00',
      quiet_hours_end: '09:00',
    };
    const create = async (person: Person) => {
      for (const [index, task] of TASKS.entries())
        await person.ask('POST', '/v1/tasks', { title: `${index}`, ...task });
    };
    await create(ada);
    for (const person of [ada, bob]) assert.equal((await person.ask('PATCH', '/v1/me', settings)).status, 200);
    await create(bob);
    const plansOf = ({ userId }: Person) =>
      app.db
        .selectFrom('tasks')
        .select(['title', 'due_at', 'next_fire_at', 'wanted_at', 'overdue_at', 'list_rank', 'list_key'])
        .where('owner_id', '=', userId)
        .orderBy('title')
        .execute();
    assert.deepEqual(await plansOf(ada), await plansOf(bob));
  });
});
