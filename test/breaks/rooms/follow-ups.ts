import type { RoomBreak } from '../room-break.ts';

const FILE = 'src/follow-ups/follow-ups.ts';

export const FOLLOW_UPS: readonly RoomBreak[] = [
  {
    name: 'what a request leaves over is not stored',
    promise: 'a change of many tasks reaches all of them',
    file: FILE,
    piece: 'if (!slice.isDone && !(await findSame(trx, added))) {',
    replacement: 'if (slice.isDone && !(await findSame(trx, added))) {',
    by: ['scenario/follow-ups'],
  },
  {
    name: 'a second follow-up of a kind is added',
    promise: 'an account has one turn for each kind of work',
    file: FILE,
    piece: 'if (!slice.isDone && !(await findSame(trx, added))) {',
    replacement: 'if (!slice.isDone) {',
    by: ['scenario/follow-ups'],
  },
  {
    name: 'the first account always has its turn',
    promise: 'a large account does not delay another',
    file: FILE,
    piece: 'const [next] = last === undefined ? [] : await firstAfter(db, last);',
    replacement: 'const [next] = last === undefined ? await firstAfter(db, "") : [];',
    by: ['scenario/follow-ups', 'scenario/noisy-neighbour'],
  },
  {
    name: 'the cursor of a slice is not stored',
    promise: 'work continues where it stopped',
    file: FILE,
    piece: "else if (cursor !== undefined) await trx.updateTable('follow_ups').set({ cursor })",
    replacement: "else if (cursor === undefined) await trx.updateTable('follow_ups').set({ cursor: null })",
    by: ['scenario/follow-ups'],
  },
  {
    name: 'a follow-up that fails has every turn',
    promise: 'a fault of one account stops no other',
    file: 'src/follow-ups/run-follow-ups.ts',
    piece:
      '    // Set even if the slice fails, so that a failing follow-up does not stop the others.\n    this.#last = next.id;\n',
    replacement: '',
    also: {
      piece: '    return rows !== undefined;',
      replacement: '    this.#last = next.id;\n    return rows !== undefined;',
    },
    by: ['scenario/follow-ups'],
  },
  {
    name: 'the cursor of the first slice is lost',
    promise: 'no slice repeats what another has done',
    file: 'src/follow-ups/follow-ups.ts',
    piece: 'cursor: slice.cursor ?? null })',
    replacement: 'cursor: added.cursor })',
    by: ['scenario/follow-ups'],
  },
  {
    name: 'a follow-up of another kind counts as the same',
    promise: 'a change of many tasks reaches all of them, whatever else waits',
    file: 'src/follow-ups/follow-ups.ts',
    piece: "    .where('kind', '=', kind)\n",
    replacement: '',
    by: ['scenario/follow-up-queue'],
  },
  {
    name: 'cancelling what waits for one space cancels it for all',
    promise: 'who joins one space again still leaves the other',
    file: 'src/follow-ups/follow-ups.ts',
    piece: "\n    .where('space_id', space_id === null ? 'is' : '=', space_id);",
    replacement: ';',
    by: ['scenario/follow-up-queue'],
  },
  {
    name: 'who leaves two spaces at once leaves one of them',
    promise: 'a change of many tasks reaches all of them',
    file: FILE,
    piece: "    .where('space_id', space_id === null ? 'is' : '=', space_id);",
    replacement: "    .where('space_id', space_id === null ? 'is' : 'is not', null);",
    by: ['scenario/leaving'],
  },
  {
    name: 'slow slices are as large as quick ones',
    promise: 'a slice takes as many rows as it can change in its time',
    file: 'src/follow-ups/run-follow-ups.ts',
    piece: 'this.#sizes.getOrInsertComputed(next.kind, ',
    replacement: "this.#sizes.getOrInsertComputed('replan', ",
    by: ['scenario/follow-up-queue'],
  },
  {
    name: 'a slice runs on the tables of a newer release',
    promise: 'a process that meets the tables of a newer release changes nothing more',
    file: 'src/follow-ups/run-follow-ups.ts',
    piece: '    await this.#schema.hold(trx);\n',
    replacement: '',
    by: ['contract/releases'],
  },
];
