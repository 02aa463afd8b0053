/** Lists that are longer than what is read at once. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { pagesIn } from '../../src/lib/pages.ts';
import { listOwnIdsInTurns } from '../../src/tasks/shown-tasks.store.ts';
import { readTaskList } from '../../src/tasks/task-list.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine } from '../support/engines.ts';
import { startTestApp } from '../support/test-app.ts';

const START = new Date('2026-03-02T10:00:00Z');

onEveryEngine((engine, it) => {
  it('a client that begins to sync learns of more than a thousand tasks', async () => {
    await using app = await startTestApp(engine);
    const [userId = ''] = await insertDueTasks(app.db, { tasks: 1_001, owners: 1, dueAt: START, withDevices: false });
    assert.equal(new Set(await listOwnIdsInTurns(app.db, userId)).size, 1_001);
  });

  it('a task that moves within a list while it is read appears in it exactly once, and so do all others', async () => {
    await using app = await startTestApp(engine);
    const [userId = ''] = await insertDueTasks(app.db, { tasks: 450, owners: 1, dueAt: START, withDevices: false });
    const caller = { kind: 'session', userId, sessionId: 'any', provenAt: START } as const;
    const now = app.clock.now();
    const query = { of: { ownerId: userId }, status: undefined, now, after: undefined, limit: undefined };
    const inOrder = app.db.selectFrom('tasks').select('id').orderBy('list_rank').orderBy('list_key').orderBy('id');
    const { id: middle } = (await inOrder.execute())[250] ?? assert.fail();
    await app.db.updateTable('tasks').set({ list_key: 10 }).where('id', '>', middle).execute();
    // The last one moves to the middle, which is read later, and then to the end again.
    for (const { from, list_key } of [
      { from: -1, list_key: 5 },
      { from: 251, list_key: 20 },
    ]) {
      const { tasks } = await readTaskList(app.db, caller, query);
      const stored = await inOrder.execute();
      const { id: moved } = stored.at(from) ?? assert.fail();
      await app.db.updateTable('tasks').set({ list_key }).where('id', '=', moved).execute();
      const read: string[] = [];
      for await (const page of pagesIn(tasks)) read.push(...page.map(({ id }) => id));
      const expected = stored.map(({ id }) => id);
      assert.ok(isDeepStrictEqual(read, expected), `${read.length} tasks, ${new Set(read).size} of them different`);
    }
  });
});
