/** What an import from another app says about itself: its counts, its place in the list, and whose it is. */
import assert from 'node:assert/strict';
import { MoveInService } from '../../src/archive/move-in.service.ts';
import { MoveInPreviewService } from '../../src/archive/move-in-preview.service.ts';
import { Audit } from '../../src/lib/audit.ts';
import { AppError } from '../../src/lib/errors.ts';
import { idFromWords, newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { TaskImportService } from '../../src/tasks/task-import.service.ts';
import { countCharged } from '../support/charged-rows.ts';
import { onEveryEngine, onEveryEngineWith } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { latestMoveIn } from '../support/move-in.ts';
import { createPerson, type Person, startWithAda } from '../support/people.ts';
import { startSlicedApp } from '../support/slices.ts';
import type { TestApp } from '../support/test-app.ts';

type Reader = ConstructorParameters<typeof MoveInPreviewService>[2];

const pageOf = (titles: readonly string[]) => {
  const tasks = titles.map((title) => ({
    list: null,
    task: { id: idFromWords(title), title, due_at: '2026-01-05T10:00:00', has_time: true },
  }));
  return { tasks: JSON.stringify(tasks), origins: tasks.map(({ task }) => task.id) };
};

/** Previews a file with these pages of overdue tasks, without the thread that reads files, which costs a second. */
async function preview(app: TestApp, person: Person, ...messages: readonly (readonly string[])[][]) {
  const tasks = messages.flat(2).length;
  const readMoveIn: Reader['readMoveIn'] = async (_file, _left, take) => {
    for (const pages of messages) await take(pages.map(pageOf));
    return { source: 'todoist', tasks, open: tasks, lists: [] as object[] } as Awaited<
      ReturnType<Reader['readMoveIn']>
    >;
  };
  const imports = new TaskImportService(app.db, app.clock, () => undefined, 1_000);
  const clocks = { clock: app.clock, wallClock: app.clock };
  const previews = new MoveInPreviewService(app.db, clocks, { readMoveIn } as Reader, imports);
  const file = { name: 'x.csv', bytes: new Uint8Array() };
  return previews.preview(person, file, new AbortController().signal);
}

const previewed = async (app: TestApp, person: Person, ...titles: string[]) =>
  (await preview(app, person, [titles])).id;

const titlesOf = async (person: Person): Promise<string[]> =>
  (await person.ask('GET', '/v1/tasks')).body.data.map(({ title }: { title: string }) => title).toSorted();
const start = (person: Person, preview_id: string) => person.ask('POST', '/v1/move-in', { preview_id });
const moveInOf = async (app: TestApp, person: Person, ...titles: string[]): Promise<string> => {
  const id = await previewed(app, person, ...titles);
  assert.equal((await start(person, id)).status, 200);
  await app.engine?.settled();
  return id;
};

onEveryEngine((engine, it) => {
  it('two people who import at the same time each get their own file, whoever previews or starts last', async () => {
    const { app, runSlices } = await startSlicedApp(engine, { clock: new FakeClock() });
    await using _ = app;
    const people = await Promise.all([createPerson(app), createPerson(app)]);
    const titles = people.map((_unused, index) => ['a', 'b', 'c', 'd', 'e'].map((letter) => `${letter}${index}`));
    const previews: string[] = [];
    for (const [index, person] of people.entries())
      previews.push(await previewed(app, person, ...(titles[index] ?? [])));
    for (const [index, person] of people.entries())
      assert.equal((await start(person, previews[index] ?? '')).status, 200);
    await runSlices();
    for (const [index, person] of people.entries()) {
      assert.deepEqual(await titlesOf(person), titles[index]);
      const { body } = await person.ask('GET', '/v1/move-in');
      assert.deepEqual(
        body.data.map(({ id, state }: { id: string; state: string }) => [id, state]),
        [[previews[index], 'done']],
      );
    }
  });

  it('an import and its Undo count what all of their slices did', async () => {
    const { app, runSlices } = await startSlicedApp(engine, { clock: new FakeClock() });
    await using _ = app;
    const ada = await createPerson(app);
    const known = ['k0', 'k1', 'k2'];
    const first = await previewed(app, ada, ...known);
    await start(ada, first);
    await runSlices();
    const id = await previewed(app, ada, ...known, 'a', 'b', 'c', 'd', 'x0', 'x1', 'x2');
    // As if they had become invalid since the preview.
    const { tasks } = await app.db.selectFrom('move_in_pages').select('tasks').executeTakeFirstOrThrow();
    const changed = tasks.replaceAll(/"title":"x\d"/g, '"title":""');
    await app.db.updateTable('move_in_pages').set({ tasks: changed }).execute();
    await start(ada, id);
    await runSlices();
    const done = await latestMoveIn(app, ada);
    assert.deepEqual(
      [done.id, done.state, done.processed, done.imported, done.already_there, done.refused, done.overdue],
      [id, 'done', 10, 4, 3, 3, 4],
    );
    const { body } = await ada.ask('GET', '/v1/tasks');
    for (const task of body.data as { id: string; title: string }[])
      if (['a', 'b', 'c'].includes(task.title)) await ada.ask('PATCH', `/v1/tasks/${task.id}`, { notes: 'mine' });
    // A second press of the button is no error.
    for (let press = 0; press < 2; press += 1)
      assert.equal((await ada.ask('DELETE', `/v1/move-in/${id}`)).body.data?.state, 'undoing');
    const other = await previewed(app, ada, 'later');
    assert.equal((await start(ada, other)).status, 409);
    await runSlices();
    const [, undone] = (await ada.ask('GET', '/v1/move-in')).body.data;
    assert.deepEqual([undone.id, undone.state, undone.removed, undone.kept], [id, 'undone', 1, 3]);
    assert.deepEqual(await titlesOf(ada), ['a', 'b', 'c', ...known]);
  });

  it('a file whose tasks are there already needs no room, and an import that was stopped says nothing once undone', async () => {
    const settings = { MAX_OPEN_TASKS_PER_ACCOUNT: '3' };
    const { app, runSlices } = await startSlicedApp(engine, { clock: new FakeClock(), settings });
    await using _ = app;
    const ada = await createPerson(app);
    const stopped = await previewed(app, ada, 'a', 'b', 'c');
    await start(ada, stopped);
    await ada.ask('POST', '/v1/tasks', { title: 'in between' });
    await runSlices();
    assert.equal((await latestMoveIn(app, ada)).state, 'stopped');
    await ada.ask('DELETE', `/v1/move-in/${stopped}`);
    await runSlices();
    const undone = await latestMoveIn(app, ada);
    assert.deepEqual([undone.state, undone.problem, await titlesOf(ada)], ['undone', null, ['in between']]);
    const again = await previewed(app, ada, 'a', 'b');
    await start(ada, again);
    await runSlices();
    const third = await previewed(app, ada, 'a', 'b');
    assert.equal((await start(ada, third)).status, 200);
    await runSlices();
    assert.equal((await latestMoveIn(app, ada)).already_there, 2);
  });
});

onEveryEngineWith(startWithAda, (it) => {
  it('imports are listed for a month, the newest first, and a file that is being read is none of them', async ({
    app,
    ada,
  }) => {
    const ids: string[] = [];
    for (const title of ['one', 'two']) {
      ids.unshift(await moveInOf(app, ada, title));
      await app.clock.advance('1h');
    }
    const listed = async () => {
      const { body } = await ada.ask('GET', '/v1/move-in');
      return body.data.map(({ id }: { id: string }) => id);
    };
    const row = { id: newId(), user_id: ada.userId, state: 'reading' as const, created_at: app.clock.now() };
    const waiting = { ...row, contents: null, choices: null, problem: null, started_at: null };
    const expires_at = new Date(app.clock.now().getTime() + 3_600_000);
    await app.db
      .insertInto('move_ins')
      .values({ ...waiting, expires_at })
      .execute();
    assert.deepEqual(await listed(), ids);
    // Its reading was cut off, so nobody would import it any more.
    const third = await previewed(app, ada, 'three');
    const left = await app.db.selectFrom('move_ins').select('id').where('id', '=', row.id).execute();
    assert.deepEqual([left, await listed()], [[], [third, ...ids]]);
    const later = await previewed(app, ada, 'four');
    assert.deepEqual(await listed(), [later, ...ids], 'one preview at a time');
    await app.clock.advance('29d');
    assert.deepEqual(await listed(), ids);
    assert.equal((await ada.ask('GET', `/v1/move-in/${ids[0]}/overdue`)).status, 200);
    await app.clock.advance('2d');
    assert.deepEqual(await listed(), []);
  });

  it('a long list of overdue tasks says that there is more, and today is the day of the person', async ({
    app,
    ada,
  }) => {
    await ada.ask('PATCH', '/v1/me', { timezone: 'Pacific/Honolulu' });
    const titles = Array.from({ length: 51 }, (_, index) => `task ${index}`);
    const rows = countCharged(app);
    const id = await moveInOf(app, ada, ...titles);
    assert.equal(rows(), 51 * 5, 'storing costs five times as much as reading');
    const url = `/v1/move-in/${id}/overdue`;
    const { tasks, has_more } = (await ada.ask('GET', url)).body.data;
    assert.deepEqual([tasks.length, has_more, rows()], [50, true, 50]);
    const [first, second] = tasks;
    const decide = (decision: string, taskId: string) => ada.ask('POST', url, { decision, task_ids: [taskId] });
    assert.equal((await decide('today', first.id.toUpperCase())).body.data.decided, 1);
    assert.equal((await decide('drop', second.id)).body.data.decided, 1);
    assert.equal(rows(), 2 * 5);
    const left = (await ada.ask('GET', url)).body.data;
    assert.deepEqual([left.tasks.length, left.has_more], [49, false]);
    // At nine in the morning in London it is still the evening before on Hawaii.
    const { due_at } = (await ada.ask('GET', `/v1/tasks/${first.id}`)).body.data;
    assert.equal(due_at, '2026-03-01T20:00:00.000Z');
  });

  it('however many messages the pages of a file come in, each page is stored and each known task counted', async ({
    app,
    ada,
  }) => {
    await moveInOf(app, ada, 'a', 'b', 'c');
    const { already_there } = await preview(app, ada, [['a'], ['b']], [['c']]);
    assert.equal(already_there, 3);
    const stored = await app.db.selectFrom('move_in_pages').select(['page', 'tasks']).orderBy('page').execute();
    assert.deepEqual(
      stored.map(({ page: number, tasks }) => [number, JSON.parse(tasks)[0].task.title]),
      [
        [0, 'a'],
        [1, 'b'],
        [2, 'c'],
      ],
    );
    const { pages } = await app.db
      .selectFrom('move_ins')
      .select('pages')
      .where('state', '=', 'preview')
      .executeTakeFirstOrThrow();
    assert.equal(pages, 3);
  });

  it('an import stops at every limit of the account, instead of being tried for ever', async ({ app, ada }) => {
    const { db, clock } = app;
    const known = new TaskImportService(db, clock, () => undefined, 1_000);
    for (const code of ['too_many_open_tasks', 'too_many_tasks'] as const) {
      const imports = {
        checkRoom: async () => undefined,
        lockOwner: known.lockOwner.bind(known),
        storePage: async () => {
          throw new AppError(code);
        },
      };
      const audit = new Audit(createLogger('silent'));
      const moveIns = new MoveInService({ db, clock, wallClock: clock, audit, imports, wakeUp: () => undefined });
      const id = await previewed(app, ada, 'a');
      const { state, problem } = await moveIns.start(ada, id, { which: 'open', labels: [], ladder: null }, '192.0.2.1');
      assert.equal(state, 'stopped', code);
      assert.ok(problem);
    }
    assert.deepEqual(await db.selectFrom('follow_ups').select('id').execute(), []);
  });
});
