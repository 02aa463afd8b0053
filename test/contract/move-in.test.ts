/** Moving in: what a file of another app brings, when it brings it, and how it is taken back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { transact } from '../../src/db/transact.ts';
import { Housekeeping } from '../../src/engine/housekeeping.ts';
import { newId } from '../../src/lib/ids.ts';
import { addToCounts, getCounts } from '../../src/tasks/outcomes.store.ts';
import { removeImportedSlice } from '../../src/tasks/remove-imported.ts';
import { mintToken } from '../support/agents.ts';
import { connectApp, syncReport } from '../support/caldav-client.ts';
import { countCharged } from '../support/charged-rows.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { latestMoveIn, moveIn, previewFile, readFixture, todoistRows } from '../support/move-in.ts';
import { createPerson, type Person } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { startSlicedApp } from '../support/slices.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Reading dates in words takes a second to begin with, so few tasks cost nearly as much. */
const MANY = sized(500, 10_000);

interface Listed {
  readonly id: string;
  readonly title: string;
  readonly next_fire_at: string | null;
  readonly kind: string;
}

const tasksOf = async (person: Person): Promise<Listed[]> => (await person.ask('GET', '/v1/tasks')).body.data;
const titlesOf = async (person: Person) => (await tasksOf(person)).map(({ title }) => title).toSorted();
const statsOf = async (person: Person) => (await person.ask('GET', '/v1/stats')).body.data;

/** What two slices take and keep, and whether the second is the last, without storing it. A request runs all of them. */
async function slicesOfUndo({ db }: TestApp, { userId }: Person, moveInId: string) {
  class Enough extends Error {}
  const slices: unknown[] = [];
  const trying = transact(db, async (trx) => {
    for (let slice = 0; slice < 2; slice += 1) {
      const { removed, kept, isDone } = await removeImportedSlice(trx, userId, moveInId, 100);
      slices.push([removed, kept, isDone]);
    }
    throw new Enough();
  });
  await assert.rejects(trying, Enough);
  return slices;
}

onEveryEngine((engine, it) => {
  it('nothing is stored before the import is started, and the same file brings every task once', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const file = await readFixture('todoist.csv');
    const charged = countCharged(app);
    const { status, body } = await previewFile(app, ada, file, 'Home [12].csv');
    assert.deepEqual([status, body.data.source, body.data.tasks, charged()], [200, 'todoist', 8, 8]);
    assert.deepEqual(await titlesOf(ada), []);
    const first = await moveIn(app, ada, file, 'Home [12].csv');
    assert.deepEqual([first.state, first.imported, first.processed], ['done', 8, 8]);
    // The rows stand elsewhere, and the browser has numbered the second download.
    const [head = '', ...rows] = todoistRows(['Bins out'], ['Feed the cat'], ['New here']).split('\r\n');
    const later = await moveIn(app, ada, [head, ...rows.reverse()].join('\r\n'), 'Home [12] (1).csv');
    assert.deepEqual([later.imported, later.already_there], [1, 2]);
    assert.equal((await titlesOf(ada)).length, 9);
    const { body: again } = await previewFile(app, ada, file, 'Home.csv');
    assert.equal(again.data.already_there, 8);
    const many = Array.from({ length: 26 }, (_, index) => [`task ${index}`] as const);
    assert.equal((await moveIn(app, ada, todoistRows(...many), 'Many.csv')).imported, 26, 'more than a page');
  });

  test('Undo takes back the whole import, nothing that was changed since, and the same file can come again', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const { token } = await mintToken(ada, { scopes: ['tasks:read'] });
    await ada.ask('POST', '/v1/tasks', { title: 'her own' });
    const before = await statsOf(ada);
    const file = await readFixture('ticktick.csv');
    const done = await moveIn(app, ada, file, '', { which: 'all' });
    assert.deepEqual([done.imported, done.undo_until], [8, '2026-03-03T09:00:00.000Z']);
    const changed = (await tasksOf(ada)).find(({ title }) => title === 'Pack the bag');
    const { body: synced } = await ada.ask('GET', '/v1/sync');
    await ada.ask('PATCH', `/v1/tasks/${changed?.id}`, { notes: 'Both bags' });
    const calendar = await connectApp(app, ada);
    const seen = await calendar.report(syncReport(''));
    assert.deepEqual(await slicesOfUndo(app, ada, done.id), [
      [7, 1, false],
      [0, 0, true],
    ]);
    const undone = await ada.ask('DELETE', `/v1/move-in/${done.id}`);
    assert.equal(undone.status, 200);
    const after = await latestMoveIn(app, ada);
    assert.deepEqual([after.state, after.removed, after.kept, after.undo_until], ['undone', 7, 1, null]);
    assert.deepEqual(await titlesOf(ada), ['Pack the bag', 'her own']);
    assert.deepEqual(await statsOf(ada), { ...before, open: 2 });
    for (const caller of [undefined, token]) {
      const since = encodeURIComponent(synced.data.server_time);
      const { body } = await ada.ask('GET', `/v1/sync?since=${since}`, undefined, caller);
      assert.equal(body.data.removed.length, 7, caller ? 'token' : 'session');
    }
    const gone = [...(await calendar.report(syncReport(seen.token))).entries].filter(
      ([, { status }]) => status === 404,
    );
    // In an app that syncs by CalDAV everything goes but these two.
    const left = ['Pack the bag', 'her own'];
    assert.equal(gone.filter(([name]) => seen.entries.has(name)).length, seen.entries.size - left.length);
    const again = await moveIn(app, ada, file, '', { which: 'all' });
    assert.deepEqual([again.imported, again.already_there], [7, 1]);
    await app.clock.advance('24h');
    const late = await ada.ask('DELETE', `/v1/move-in/${again.id}`);
    assert.deepEqual([late.status, late.body.error.split(':')[0]], [409, 'nothing_to_reopen']);
  });

  test('an import goes on slice by slice without its owner, and Undo can end it on the way', async () => {
    const clock = new FakeClock();
    const { app, runSlices } = await startSlicedApp(engine, { clock });
    await using _ = app;
    const ada = await createPerson(app);
    const rows = Array.from({ length: 9 }, (_unused, index) => [`task ${index}`, 'Oct 5 2027'] as const);
    const { body } = await previewFile(app, ada, todoistRows(...rows), 'x.csv');
    const started = await ada.ask('POST', '/v1/move-in', { preview_id: body.data.id });
    assert.deepEqual([started.body.data.state, started.body.data.processed], ['importing', 2]);
    const twice = await ada.ask('POST', '/v1/move-in', { preview_id: body.data.id });
    assert.deepEqual([twice.status, twice.body.error.split(':')[0]], [409, 'request_in_progress']);
    await runSlices(2);
    assert.equal((await latestMoveIn(app, ada)).processed, 6);
    await ada.ask('DELETE', `/v1/move-in/${body.data.id}`);
    await runSlices();
    const undone = await latestMoveIn(app, ada);
    assert.deepEqual([undone.state, undone.removed, await titlesOf(ada)], ['undone', 6, []]);
    assert.equal((await app.db.selectFrom('move_in_pages').select('page').execute()).length, 0);
  });

  it('an import that is under way is not cut off by taking an earlier one back', async () => {
    const { app, runSlices } = await startSlicedApp(engine, { clock: new FakeClock() });
    await using _ = app;
    const ada = await createPerson(app);
    const start = async (titles: readonly string[]) => {
      const rows = titles.map((title) => [title, 'Oct 5 2027'] as const);
      const preview_id = (await previewFile(app, ada, todoistRows(...rows), 'x.csv')).body.data.id;
      assert.equal((await ada.ask('POST', '/v1/move-in', { preview_id })).status, 200);
      return preview_id;
    };
    const earlier = await start(['one']);
    await start(['two', 'three', 'four', 'five']);
    const undo = () => ada.ask('DELETE', `/v1/move-in/${earlier}`);
    assert.match((await undo()).body.error, /^request_in_progress:/);
    await runSlices();
    assert.equal((await titlesOf(ada)).length, 5);
    assert.equal((await undo()).status, 200);
  });

  it('Undo leaves nothing of a long file that was hardly begun, nor of a long history', async () => {
    const { app, runSlices } = await startSlicedApp(engine, { clock: new FakeClock() });
    await using _ = app;
    const ada = await createPerson(app);
    const rows = Array.from({ length: 80 }, (_unused, index) => [`task ${index}`, 'Oct 5 2027'] as const);
    const { body } = await previewFile(app, ada, todoistRows(...rows), 'x.csv');
    await ada.ask('POST', '/v1/move-in', { preview_id: body.data.id });
    const entry = await app.db.selectFrom('timeline').selectAll().limit(1).executeTakeFirstOrThrow();
    const nudges = Array.from({ length: 50 }, () => ({ ...entry, id: newId(), kind: 'nudge' as const, by: null }));
    await app.db.insertInto('timeline').values(nudges).execute();
    await ada.ask('DELETE', `/v1/move-in/${body.data.id}`);
    await runSlices();
    assert.equal((await latestMoveIn(app, ada)).state, 'undone');
    const pages = await app.db.selectFrom('move_in_pages').select('page').execute();
    const history = await app.db.selectFrom('timeline').select('id').execute();
    assert.deepEqual([pages, history, await titlesOf(ada)], [[], [], []]);
  });

  it('what Undo removes counts in no sum of the account', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const before = await statsOf(ada);
    const done = await moveIn(app, ada, todoistRows(['a', 'Mar 9 2026 10:00']), 'x.csv');
    const { id: task_id } = await app.db.selectFrom('tasks').select('id').executeTakeFirstOrThrow();
    const outcome = {
      owner_id: ada.userId,
      task_id,
      title: 'a',
      occurrence_due_at: null,
      recorded_at: app.clock.now(),
    };
    const outcomes = ['done', 'skipped'].map((name) => ({ ...outcome, id: newId(), outcome: name, seconds_taken: 60 }));
    await app.db.insertInto('outcomes').values(outcomes).execute();
    await app.db.updateTable('tasks').set({ nudge_count: 3 }).execute();
    const sums = { nudges_sent: 3, done: 1, skipped: 1, seconds_to_done: 60 };
    await transact(app.db, (trx) => addToCounts(trx, ada.userId, sums));
    assert.equal((await statsOf(ada)).nudges_sent, 3);
    // To have seen a nudge changes nothing about its task.
    const seen = { id: newId(), task_id, owner_id: ada.userId, at: app.clock.now(), kind: 'acknowledged', by: 'owner' };
    await app.db.insertInto('timeline').values(seen).execute();
    await ada.ask('DELETE', `/v1/move-in/${done.id}`);
    assert.deepEqual(await statsOf(ada), before);
    assert.equal((await getCounts(app.db, ada.userId)).stored, 0, 'a bound for the account');
  });

  test('what is due already rings only after its owner has decided about it', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const rows = ['a', 'b', 'c'].map((title) => [title, 'Jan 5 2026 10:00'] as const);
    const file = todoistRows(...rows, ['due today', 'Mar 2 2026'], ['later', 'Mar 9 2026 10:00']);
    const done = await moveIn(app, ada, file, 'x.csv');
    assert.equal(done.overdue, 4);
    await app.clock.advance('3h');
    assert.equal((await statsOf(ada)).nudges_sent, 0);
    const url = `/v1/move-in/${done.id}/overdue`;
    const { body } = await ada.ask('GET', url);
    assert.deepEqual(body.data.tasks.map(({ title }: Listed) => title).toSorted(), ['a', 'b', 'c', 'due today']);
    const idOf = (title: string) => body.data.tasks.find((task: Listed) => task.title === title).id;
    const decide = (decision: string, ...titles: string[]) =>
      ada.ask('POST', url, { decision, task_ids: titles.map(idOf) });
    assert.equal((await decide('today', 'a')).body.data.decided, 1);
    assert.equal((await decide('keep_date', 'b')).body.data.decided, 1);
    assert.equal((await decide('drop', 'c', 'a')).body.data.decided, 1);
    const read = async (title: string) => (await ada.ask('GET', `/v1/tasks/${idOf(title)}`)).body.data;
    const [a, b, c] = [await read('a'), await read('b'), await read('c')];
    assert.deepEqual([a.due_at, a.mode, a.status], ['2026-03-02T10:00:00.000Z', 'escalate', 'open']);
    assert.deepEqual([b.due_at, b.mode, b.status], ['2026-01-05T10:00:00.000Z', 'escalate', 'open']);
    assert.equal(c.status, 'dropped');
    await app.clock.advance('1m');
    assert.deepEqual([(await read('a')).nudge_count, (await read('b')).nudge_count], [1, 1]);
    await ada.ask('POST', `/v1/tasks/${idOf('due today')}/complete`);
    assert.deepEqual((await ada.ask('GET', url)).body.data, { tasks: [], has_more: false });
    // A screen that still shows it decides about nothing.
    for (const decision of ['today', 'drop']) assert.equal((await decide(decision, 'due today')).status, 200);
    assert.equal((await read('due today')).status, 'done');
  });

  it('a task that came with one nudge keeps to one after the decision', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const file = String(await readFixture('remember-the-milk.json'));
    const done = await moveIn(app, ada, file.replace('1804460400000', String(Date.parse('2026-01-05'))), 'x.json');
    const url = `/v1/move-in/${done.id}/overdue`;
    const [task] = (await ada.ask('GET', url)).body.data.tasks;
    assert.equal(task.title, 'Pay the milkman');
    assert.equal((await ada.ask('POST', url, { decision: 'keep_date', task_ids: [task.id] })).status, 200);
    assert.equal((await ada.ask('GET', `/v1/tasks/${task.id}`)).body.data.mode, 'notify_once');
    await app.clock.advance('24h');
    assert.equal((await ada.ask('GET', `/v1/tasks/${task.id}`)).body.data.nudge_count, 1);
  });

  it('of a file that turns out to be broken nothing is kept', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    assert.equal((await previewFile(app, ada, 'no file of any app', 'x.csv')).status, 422);
    assert.deepEqual(await app.db.selectFrom('move_ins').select('state').execute(), []);
  });

  it('open tasks only, a label for each list and a ladder are the owner’s choice', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const file = await readFixture('google-tasks.json');
    const choices = { which: 'open', labels: [{ list: 0, label: 'errand' }], ladder: { preset: 'gentle' } };
    const done = await moveIn(app, ada, file, '', choices);
    assert.deepEqual([done.imported, done.processed, done.tasks], [3, 4, 4]);
    const tasks = await tasksOf(ada);
    assert.deepEqual(new Set(tasks.map(({ kind }) => kind)), new Set(['errand']));
    const { body } = await ada.ask('GET', `/v1/tasks/${tasks[0]?.id}/ladder`);
    assert.equal(body.data.from, 'task');
    const { body: preview } = await previewFile(app, ada, file);
    const start = (wrong: object) => ada.ask('POST', '/v1/move-in', { preview_id: preview.data.id, ...wrong });
    assert.equal((await start({ labels: [{ list: 1, label: 'x' }] })).status, 422);
    assert.equal((await start({ ladder: { ladder_id: ada.userId } })).status, 422);
    assert.equal((await start({ ladder: {} })).status, 422);
    assert.equal((await start({})).status, 200);
  });

  it('an account that is full refuses an import before it begins', async () => {
    await using app = await startTestApp(engine, { settings: { MAX_OPEN_TASKS_PER_ACCOUNT: '3' } });
    const ada = await createPerson(app);
    const { body } = await previewFile(app, ada, todoistRows(['a'], ['b'], ['c'], ['d']), 'x.csv');
    const refused = await ada.ask('POST', '/v1/move-in', { preview_id: body.data.id });
    assert.deepEqual([refused.status, refused.body.error.split(':')[0]], [429, 'too_many_open_tasks']);
    assert.deepEqual(await titlesOf(ada), []);
  });

  it('an import stops where the account becomes full, says so, and can be taken back', async () => {
    const clock = new FakeClock();
    const { app, runSlices } = await startSlicedApp(engine, { clock, settings: { MAX_OPEN_TASKS_PER_ACCOUNT: '4' } });
    await using _ = app;
    const ada = await createPerson(app);
    const { body } = await previewFile(app, ada, todoistRows(['a'], ['b'], ['c'], ['d']), 'x.csv');
    await ada.ask('POST', '/v1/move-in', { preview_id: body.data.id });
    await ada.ask('POST', '/v1/tasks', { title: 'in between' });
    await runSlices();
    const stopped = await latestMoveIn(app, ada);
    assert.deepEqual([stopped.state, stopped.imported], ['stopped', 2]);
    assert.match(stopped.problem, /^An account can have 4 open tasks/);
    await ada.ask('DELETE', `/v1/move-in/${body.data.id}`);
    await runSlices();
    assert.deepEqual(await titlesOf(ada), ['in between']);
  });

  it('while thousands of tasks are previewed, others are answered', async () => {
    await using app = await startTestApp(engine);
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    const words = ['every thursday at 7pm', 'every! 3 days', 'every 1st', 'Oct 5 2027', '2028-02-29 14:30'];
    const rows = Array.from(
      { length: MANY },
      (_, index) => [`task ${index}`, words[index % words.length] ?? ''] as const,
    );
    let isOver = false;
    let answers = 0;
    const asking = previewFile(app, ada, todoistRows(...rows), 'x.csv').finally(() => {
      isOver = true;
    });
    for (; !isOver; answers += 1) {
      assert.equal((await grace.ask('GET', '/v1/me')).status, 200);
      await setTimeout(10);
    }
    assert.equal((await asking).body.data.tasks, MANY);
    assert.ok(answers > 10, `${answers} answers`);
  });

  it('a preview waits for an hour and belongs to its owner; what waits goes with the account', async () => {
    await using app = await startTestApp(engine);
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    const file = todoistRows(['a']);
    const { body } = await previewFile(app, ada, file, 'x.csv');
    const start = (person: Person) => person.ask('POST', '/v1/move-in', { preview_id: body.data.id });
    assert.equal((await start(grace)).status, 404);
    assert.equal((await grace.ask('GET', `/v1/move-in/${body.data.id}/overdue`)).status, 404);
    assert.equal((await grace.ask('DELETE', `/v1/move-in/${body.data.id}`)).status, 404);
    await app.clock.advance('61m');
    assert.equal((await start(ada)).status, 404);
    await new Housekeeping(app.db, app.clock).runOnce();
    assert.equal((await app.db.selectFrom('move_in_pages').select('page').execute()).length, 0);
    await previewFile(app, ada, file, 'x.csv');
    await ada.ask('DELETE', '/v1/me');
    await app.engine?.settled();
    assert.equal((await app.db.selectFrom('move_ins').select('id').execute()).length, 0);
  });
});

onlyOn('postgres', () => {
  test('Undo keeps a task that somebody is changing at that moment', async () => {
    await using app = await startTestApp('postgres');
    const ada = await createPerson(app);
    const { id } = await moveIn(app, ada, todoistRows(['a', 'Oct 5 2027'], ['b', 'Oct 5 2027']), 'x.csv');
    const first = app.db.selectFrom('tasks').select(['id', 'owner_id', 'run']).where('title', '=', 'a');
    const { id: task_id, ...task } = await first.executeTakeFirstOrThrow();
    const edit = { id: newId(), task_id, ...task, at: app.clock.now(), kind: 'edited', by: 'owner' } as const;
    const [changed, unlock] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const changing = transact(app.db, async (trx) => {
      await trx.selectFrom('tasks').select('id').where('id', '=', task_id).forUpdate().execute();
      await trx.insertInto('timeline').values(edit).execute();
      changed.resolve();
      await unlock.promise;
    });
    await changed.promise;
    const undoing = ada.ask('DELETE', `/v1/move-in/${id}`);
    const waiting = sql`select 1 from pg_locks join pg_stat_activity using (pid)
      where not granted and datname = current_database()`;
    await waitUntil(async () => (await waiting.execute(app.db)).rows.length > 0);
    unlock.resolve();
    await Promise.all([changing, undoing]);
    assert.deepEqual(await titlesOf(ada), ['a']);
  });
});
