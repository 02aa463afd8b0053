import type { RoomBreak } from '../room-break.ts';

const QUEUE = 'web/src/data/action-queue.ts';
const REPLAY = 'web/src/data/replay.ts';
const QUEUED = 'web/src/data/queued-action.ts';
const STORED = 'web/src/data/stored-actions.ts';
const by = ['web/src/data/', 'web/src/worker/'];

/** The app’s queue and its service worker. */
export const WEB: readonly RoomBreak[] = [
  {
    name: 'what the browser cannot store counts as refused',
    promise: 'nothing that was carried out is told as refused',
    file: 'web/src/api/problem.ts',
    piece: "'offline', 'browser_failed', ",
    replacement: "'offline', ",
    by,
  },
  {
    name: 'an action is shown before it is stored',
    promise: 'what a person did is not lost with the page',
    file: QUEUE,
    piece: 'await Promise.all(added.map(storeAction));',
    replacement: 'void Promise.all(added.map(storeAction));',
    by,
  },
  {
    name: 'an action that is just being sent is taken back without a trace',
    promise: 'Undo takes back what the service has done',
    file: QUEUE,
    piece: '!stored.has(key) || (isSending && notBefore <= now);',
    replacement: '!stored.has(key);',
    by,
  },
  {
    name: 'a list that is read while an action is added lacks it',
    promise: 'what a person did stays on the screen',
    file: QUEUE,
    piece: '    if (changes !== before) continue;\n',
    replacement: '    void before;\n',
    by,
  },
  {
    name: 'a snooze is sent while Undo is shown',
    promise: 'what cannot be undone waits until Undo is gone',
    file: QUEUE,
    piece: 'waitsForUndo || DELAYED_KINDS.has(kind) ? at + UNDO_MS : 0;',
    replacement: 'waitsForUndo && DELAYED_KINDS.has(kind) ? at + UNDO_MS : 0;',
    by,
  },
  {
    name: 'actions of another account are sent with this session',
    promise: 'nobody does in another account what somebody queued in the same browser',
    file: QUEUED,
    piece: '    if (action.userId !== userId) return false;\n',
    replacement: '    if (action.userId === undefined && userId) return false;\n',
    by,
  },
  {
    name: 'a later action overtakes one that can still be undone',
    promise: 'the actions on a task arrive in their order',
    file: QUEUED,
    piece: 'return !waitingTasks.has(action.taskId);',
    replacement: 'return action.notBefore <= now;',
    by,
  },
  {
    name: 'an action is forgotten before the id of its task is stored',
    promise: 'what was done to a new task reaches it, also if the page ends in between',
    file: REPLAY,
    piece:
      "  if (action.kind === 'create') await localDatabase.put('taskIds', action.taskId, task.id);\n  await localDatabase.remove('actions', action.key);\n",
    replacement:
      "  await localDatabase.remove('actions', action.key);\n  if (action.kind === 'create') await localDatabase.put('taskIds', action.taskId, task.id);\n",
    by,
  },
  {
    name: 'a lost session refuses what was queued',
    promise: 'what was done offline is sent after the next sign-in',
    file: STORED,
    piece: 'isTemporary || status === 401;',
    replacement: 'isTemporary && status !== 401;',
    by,
  },
  {
    name: 'actions on a task that was refused stay in the queue for ever',
    promise: 'a refused task stops nothing behind it',
    file: STORED,
    piece: "  if (action.kind === 'create') {\n",
    replacement: "  if (action.kind !== 'create') {\n",
    by,
  },
  {
    name: 'what the answer to a bulk change does not name is lost',
    promise: 'every task of a bulk change is closed or told',
    file: 'web/src/data/send-batch.ts',
    piece: '  for (const action of ids.values()) await storeAction({ ...action, batch: undefined });\n',
    replacement:
      "  for (const { key } of ids.values()) await localDatabase.remove('actions', key);\n  void storeAction;\n",
    by,
  },
  {
    name: 'a button that is pressed offline is not stored',
    promise: 'Done on a nudge counts, also without a network',
    file: 'web/src/worker/nudges.ts',
    piece: '    await storeAction(queued);\n    const { refused',
    replacement: '    void storeAction;\n    const { refused',
    by,
  },
  {
    name: 'a failing service is shown instead of the app',
    promise: 'the app opens while the service fails',
    file: 'web/src/worker/shell-cache.ts',
    piece: 'if (response && response.status < 500) return response;',
    replacement: 'if (response) return response;',
    by,
  },
  {
    name: 'two actions of one millisecond have no order',
    promise: 'actions are sent in the order they were made',
    file: 'web/src/data/action-queue.ts',
    piece: 'Math.max(Date.now(), (queued.value.at(-1)?.at ?? 0) + 1)',
    replacement: 'Date.now()',
    by: ['data/action-queue'],
  },
  {
    name: 'what a bulk change does not name stays in it',
    promise: 'what the service does not answer is sent alone',
    file: 'web/src/data/send-batch.ts',
    piece: '  for (const action of ids.values()) await storeAction({ ...action, batch: undefined });\n',
    replacement: '',
    by: ['data/replay'],
  },
  {
    name: 'a bulk change sends the actions of another account',
    promise: 'nothing is sent with the session of another account',
    file: 'web/src/data/send-batch.ts',
    piece: 'sendableOf(await listActions(), userId, now);',
    replacement: 'sendableOf((await listActions()).map((one) => ({ ...one, userId })), userId, now);',
    by: ['data/replay'],
  },
  {
    name: 'an answer that comes again replaces a newer task',
    promise: 'the app shows the newest state of a task',
    file: 'web/src/data/sync.ts',
    piece: '    if (before && task.updated_at !== undefined && task.updated_at < before.updated_at) return synced;\n',
    replacement: '',
    by: ['data/sync'],
  },
  {
    name: 'the lists show what another account did in the same browser',
    promise: 'nobody sees the tasks of another account',
    file: 'web/src/data/sync.ts',
    piece: 'actions.filter(({ userId }) => userId === id),',
    replacement: "actions.filter(({ userId }) => userId !== '' || id),",
    by: ['data/sync'],
  },
  {
    name: 'actions are sent in the order in which the browser lists them',
    promise: 'actions are sent in the order they were made',
    file: STORED,
    piece: '.sort((a, b) => a.at - b.at)',
    replacement: '',
    by: ['data/replay'],
  },
  {
    name: 'what another account left keeps a page busy for ever',
    promise: 'an open page that has nothing to send asks for nothing',
    file: QUEUE,
    piece: '!queued.value.some((action) => action.userId === userId)',
    replacement: 'queued.value.length === 0',
    by: ['data/queue-sending'],
  },
];
