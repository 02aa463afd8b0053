import type { RoomBreak } from '../room-break.ts';

/** SQLite has one transaction at a time. */
const onPostgres = { by: ['contract/row-locks'], engine: 'postgres' } as const;

export const ROW_LOCKS: readonly RoomBreak[] = [
  {
    name: 'a task is not locked for its acknowledgement',
    promise: 'two taps at once acknowledge a nudge once',
    file: 'src/deliveries/acknowledgements.store.ts',
    piece: '    .forUpdate()\n',
    replacement: '',
    ...onPostgres,
  },
  {
    name: 'colours of labels are counted beside those that are just stored',
    promise: 'an account has a bounded number of labels with a colour',
    file: 'src/tasks/labels/labels.service.ts',
    piece: '      await lockUntilCommit(trx, `tasks of ${userId}`);\n',
    replacement: '',
    ...onPostgres,
  },
  {
    name: 'a stand-in is read without a lock',
    promise: 'who agrees twice at once is told of once',
    file: 'src/tasks/stand-ins/stand-ins.store.ts',
    piece: '    .forNoKeyUpdate()\n    .executeTakeFirst();',
    replacement: '    .executeTakeFirst();',
    ...onPostgres,
  },
  {
    name: 'channels with one address are counted beside one that is just proven',
    promise: 'ten accounts can prove one address, and no more',
    file: 'src/channels/channels.store.ts',
    piece: "    .orderBy('id')\n    .forUpdate()\n",
    replacement: '',
    ...onPostgres,
  },
  {
    name: 'what an account has booked is read beside a batch that books',
    promise: 'an account has one budget in all engines',
    file: 'src/engine/nudge-targets.store.ts',
    piece: '  await lockedCounts(trx, idsParameter(trx, ids));\n',
    replacement: '',
    ...onPostgres,
  },
  {
    name: 'a passkey is not looked for again under the lock',
    promise: 'a passkey that was removed opens nothing, and is not called copied',
    file: 'src/sign-in/passkeys/passkey-sign-in.service.ts',
    piece: "    if (!(await findPasskey(trx, credential_id))) throw new AppError('unknown_passkey');\n",
    replacement: '',
    ...onPostgres,
  },
];
