import assert from 'node:assert/strict';
import { settleAll } from '../../../test/support/fake-browser.ts';
import { testInPage } from '../../../test/support/fake-page.ts';
import type { Task } from '../api/client.ts';
import type { ActionKind, QueuedAction } from './queued-action.ts';
import { listActions } from './stored-actions.ts';

const DUE = '2026-03-02T08:00:00.000Z';
const task = (id: string) => ({ id, title: id, due_at: DUE }) as Task;
const TASKS = ['bins', 'cat', 'dog'].map(task);

/** What the buttons use, for Ada, whose actions are stored and not sent. */
async function signedIn() {
  const { queryClient } = await import('./query-client.ts');
  queryClient.setQueryData(['sync'], { tasks: {}, settings: { id: 'ada' }, since: '' });
  const { toasts, runToast } = await import('./toast.ts');
  toasts.set([]);
  const pressUndo = async () => {
    const newest = toasts.value.at(-1) ?? assert.fail('There is no toast.');
    runToast(newest);
    await settleAll();
  };
  return { ...(await import('./task-actions.ts')), ticked: await import('./ticked.ts'), toasts, pressUndo };
}

/** As another page or the worker sends them. */
async function sendStored(kinds: readonly ActionKind[]): Promise<void> {
  const { localDatabase } = await import('./local-database.ts');
  for (const { key, kind } of await listActions()) if (kinds.includes(kind)) await localDatabase.remove('actions', key);
}

const stored = async (...names: readonly (keyof QueuedAction)[]) =>
  (await listActions()).map((action) => names.map((name) => action[name]));

testInPage('Done, Skip and Snooze name the occurrence that was on the screen; other buttons name none', async () => {
  const { act, takeBackSnooze } = await signedIn();
  const until = '2026-03-02T10:00:00.000Z';
  for (const kind of ['complete', 'skip', 'drop', 'accept', 'decline'] as const) act(kind, task('bins'));
  act('snooze', task('bins'), until);
  takeBackSnooze(task('bins'));
  await settleAll();
  assert.deepEqual(await stored('kind', 'body', 'userId'), [
    ['complete', { occurrence_due_at: DUE }, 'ada'],
    ['skip', { occurrence_due_at: DUE }, 'ada'],
    ['drop', {}, 'ada'],
    ['accept', {}, 'ada'],
    ['decline', {}, 'ada'],
    ['snooze', { occurrence_due_at: DUE, until }, 'ada'],
    ['unsnooze', {}, 'ada'],
  ]);
});

testInPage('what only Undo takes back waits for it, and what the service can undo does not', async () => {
  const { queueWithUndo } = await signedIn();
  const kinds = ['edit', 'ring-anyway', 'move', 'complete'] as const;
  queueWithUndo(
    'Changed',
    kinds.map((kind) => ({ kind, task: task('bins'), body: {} })),
  );
  await settleAll();
  const waits = (await listActions()).map(({ kind, notBefore }) => [kind, notBefore > 0]);
  assert.deepEqual(waits, [
    ['edit', true],
    ['ring-anyway', true],
    ['move', false],
    ['complete', false],
  ]);
});

testInPage(
  'tasks that are closed together are one bulk change, of at most 400; one alone and mixed changes are none',
  async () => {
    const { actionOn, queueWithUndo } = await signedIn();
    const batches = async (kinds: readonly ('complete' | 'drop' | 'snooze')[]) => {
      queueWithUndo(
        'Changed',
        kinds.map((kind, index) => actionOn(kind, task(`task ${index}`))),
      );
      await settleAll();
      const found = (await listActions()).map(({ batch }) => batch);
      await sendStored(['complete', 'drop', 'snooze']);
      return found;
    };
    const many = await batches(Array.from({ length: 401 }, () => 'complete' as const));
    assert.equal(new Set(many).size, 2);
    assert.ok(!many.includes(undefined));
    assert.equal(many.filter((batch) => batch === many[0]).length, 400);
    assert.equal(new Set(await batches(['drop', 'drop', 'drop'])).size, 1);
    assert.deepEqual(await batches(['complete']), [undefined]);
    assert.deepEqual(await batches(['complete', 'drop']), [undefined, undefined]);
    assert.deepEqual(await batches(['snooze', 'snooze']), [undefined, undefined]);
  },
);

testInPage(
  'Undo takes back what was not sent, reopens what was, in the same bulk change, and shows its rows again',
  async () => {
    const { actionOn, queueWithUndo, pressUndo, ticked, toasts } = await signedIn();
    for (const one of TASKS) ticked.tick(one);
    queueWithUndo(
      'Done',
      TASKS.map((one) => actionOn('complete', one)),
    );
    await settleAll();
    const [first] = await listActions();
    const { localDatabase } = await import('./local-database.ts');
    await localDatabase.remove('actions', first?.key ?? '');
    await pressUndo();
    assert.deepEqual(await stored('kind', 'taskId', 'batch', 'userId'), [['reopen', 'bins', first?.batch, 'ada']]);
    assert.ok(first?.batch);
    assert.deepEqual(ticked.tickedTasks.value, {});
    assert.deepEqual(
      toasts.value.map(({ action }) => action),
      [undefined],
      'it says that it was done',
    );
  },
);

testInPage('an Undo that comes too late for a snooze says so, and still reopens what it can', async () => {
  const { actionOn, queueWithUndo, pressUndo, toasts } = await signedIn();
  const { strings } = await import('../strings.ts');
  queueWithUndo('Changed', [actionOn('snooze', task('cat')), actionOn('drop', task('dog'))]);
  await settleAll();
  await sendStored(['snooze', 'drop']);
  await pressUndo();
  assert.deepEqual(await stored('kind', 'taskId'), [['reopen', 'dog']]);
  assert.equal(toasts.value.at(-1)?.text, strings.task.tooLateToUndo);
});

testInPage('of two Undos the older one is shown again once the newer one is done, and nothing covers it', async () => {
  const { act, pressUndo, toasts } = await signedIn();
  act('complete', task('bins'));
  act('complete', task('cat'));
  await settleAll();
  await sendStored(['complete']);
  const [older] = toasts.value;
  await pressUndo();
  assert.deepEqual(await stored('kind', 'taskId'), [['reopen', 'cat']]);
  assert.deepEqual(toasts.value, [older]);
});

testInPage('a ticked row goes after a second', async (browser) => {
  const { ticked } = await signedIn();
  ticked.tick(task('bins'));
  await browser.pass(999);
  assert.deepEqual(Object.keys(ticked.tickedTasks.value), ['bins']);
  await browser.pass(1);
  assert.deepEqual(ticked.tickedTasks.value, {});
});
