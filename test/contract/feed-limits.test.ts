import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listFeedTaskVersions } from '../../src/calendar/calendar.store.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine } from '../support/engines.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine) => {
  test('of an account with too many tasks for a calendar, those nearest to now are in the feed, in order', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const dueAt = new Date('2026-03-02T05:00:00Z');
    const bulk = { tasks: 8, owners: 1, dueAt, intervalMs: 3_600_000, withDevices: false };
    const [owner = ''] = await insertDueTasks(app.db, bulk);
    const tasks = await app.db.selectFrom('tasks').select(['id', 'due_at']).execute();
    const hours = new Map(tasks.map(({ id, due_at }) => [id, due_at?.getUTCHours()]));
    const now = new Date('2026-03-02T08:30:00Z');
    const read = await listFeedTaskVersions(app.db, owner, now, { overdue: 2, upcoming: 3 });
    assert.deepEqual(
      read.map(({ id }) => hours.get(id)),
      [7, 8, 9, 10, 11],
    );
  });
});
