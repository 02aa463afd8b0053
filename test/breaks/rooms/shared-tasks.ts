/** Breaks of what several people, or several tasks, have to do with each other. */
import type { RoomBreak } from '../room-break.ts';

export const SHARED_TASKS: readonly RoomBreak[] = [
  {
    name: 'a list of bulk changes shows the tasks of others',
    promise: 'a person sees no task of another in what they can take back',
    file: 'src/tasks/batches.store.ts',
    piece: "    .where('timeline.owner_id', '=', ownerId)\n",
    replacement: '',
    by: ['scenario/batches'],
  },
  {
    name: 'undo of a bulk change ends after as many tasks as are listed',
    promise: 'one call takes back all of a bulk change',
    file: 'src/tasks/batches.service.ts',
    piece: 'listBatchTasks(this.#db, batchId, MOST_IN_BATCH)',
    replacement: 'listBatchTasks(this.#db, batchId, MOST_LISTED)',
    by: ['scenario/batches'],
  },
  {
    name: 'a fault of the service is told as the refusal of a task',
    promise: 'who tries again after a fault repeats what was not done',
    file: 'src/tasks/batches.service.ts',
    piece: 'if (!(error instanceof AppError) || error.status >= 500) throw error;',
    replacement: 'if (!(error instanceof AppError)) throw error;',
    by: ['scenario/batches'],
  },
  {
    name: 'a request is accepted though its assigner has left the space',
    promise: 'nobody works for a person who has left',
    file: 'src/tasks/task-changes.ts',
    piece: 'areMembers(trx, space_id, [owner_id, assigner_id])',
    replacement: 'areMembers(trx, space_id, [owner_id])',
    by: ['contract/spaces'],
  },
];
