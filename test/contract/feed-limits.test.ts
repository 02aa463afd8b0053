import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CalendarService } from '../../src/calendar/calendar.service.ts';
import { listFeedTaskVersions } from '../../src/calendar/calendar.store.ts';
import { Audit } from '../../src/lib/audit.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
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

  test('a feed costs the budget of its owner what was read for it, also if it is as the calendar has it', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const clocks = { clock: app.clock, wallClock: app.clock };
    const feeds = new CalendarService(app.db, clocks, new Audit(createLogger('silent')), () => undefined);
    const { id: sessionId } = await app.db.selectFrom('sessions').select('id').executeTakeFirstOrThrow();
    const caller = { kind: 'session', userId: ada.userId, sessionId, provenAt: app.clock.now() } as const;
    const { token } = await feeds.create(caller, '192.0.2.1');
    await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at: '2099-01-01T09:00:00Z' });
    const charged: number[] = [];
    const budget = { check: () => undefined, charge: (_: string, rows: number) => void charged.push(rows) };
    const read = (knownTags: readonly string[]) =>
      feeds.read(token, { form: 'vevent', knownTags, callerLeft: new AbortController().signal, budget });
    const { tag } = await read([]);
    assert.equal((await read([tag])).text, undefined);
    assert.deepEqual(charged, [1, 1]);
  });
});
