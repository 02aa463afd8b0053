import type { RoomBreak } from '../room-break.ts';

const WISHES = 'src/understudies/wishes.store.ts';
const by = ['scenario/understudies.test', 'scenario/understudy-looks', 'src/understudies/'];

export const UNDERSTUDIES: readonly RoomBreak[] = [
  {
    name: 'people who are looked at together all get the last messages of the day',
    promise: 'what is held never uses up the messages of nudges',
    file: 'src/understudies/day-budgets.ts',
    piece: 'used: known.used + 1 }',
    replacement: 'used: known.used }',
    by,
  },
  {
    name: 'the server that cannot hold messages is chosen again',
    promise: 'another channel of the person holds their messages if the first one cannot',
    file: 'src/understudies/holders.ts',
    piece: 'return inOrder.find(({ id }) => !this.#unfit.get(id)) ?? inOrder[0];',
    replacement: 'return inOrder[0];',
    by,
  },
  {
    name: 'what is wanted again while it is taken back is forgotten',
    promise: 'a message that should be held is held',
    file: WISHES,
    piece: ".where('version', '=', version).execute();\n  await db\n    .updateTable('understudies')\n    .set({ held",
    replacement: ".execute();\n  void version;\n  await db\n    .updateTable('understudies')\n    .set({ held",
    by,
  },
  {
    name: 'the answer to an older wish counts for the newer one',
    promise: 'a message is moved before it would sound beside a living service',
    file: WISHES,
    piece: '.set({ stored_version, held_until, ref, moved_at, error: null, attempts: 0, next_attempt_at })',
    replacement:
      ".set((eb) => ({ stored_version: stored_version ? eb.ref('version') : 0, held_until, ref, moved_at, error: null, attempts: 0, next_attempt_at }))",
    by,
  },
  {
    name: 'a round ends after its first 200 people',
    promise: 'everybody is looked at, also if the announcement of a change got lost',
    file: 'src/understudies/understudies.ts',
    piece: 'this.#cursor = isLast ? null : (people.at(-1) ?? null);',
    replacement: 'this.#cursor = null;',
    by,
  },
  {
    name: 'a must-not-miss task behind a hundred others has no message',
    promise: 'a must-not-miss task is announced even if the service falls silent',
    file: 'src/understudies/understudies.store.ts',
    piece: 'if (soonest.length < NUDGES_READ) return soonest;',
    replacement: 'if (soonest.length <= NUDGES_READ) return soonest;',
    by,
  },
  {
    name: 'a person reads that a message is held which was sounded long ago',
    promise: 'what is shown as held is held',
    file: 'src/understudies/understudy-view.ts',
    piece: 'held_until !== null && held_until > now);',
    replacement: 'held_until !== null && now);',
    by,
  },
  {
    name: 'servers that do not answer keep all others waiting',
    promise: 'one server that hangs delays no other',
    file: 'src/understudies/understudy-sender.ts',
    piece: 'const wishes = await leaseWishes(db, lease, AT_ONCE, [...this.#lanes.keys()]);',
    replacement: 'const wishes = await leaseWishes(db, lease, AT_ONCE, []);',
    by: ['scenario/understudy-sender', 'scenario/understudies.test'],
  },
  {
    name: 'stopping does not wait for messages that are being placed',
    promise: 'the answer to a message in flight is stored before the process ends',
    file: 'src/understudies/understudy-sender.ts',
    piece: '    await Promise.all(this.#lanes.values());\n',
    replacement: '    void Promise.all(this.#lanes.values());\n',
    by: ['scenario/understudy', 'contract/stop'],
  },
  {
    name: 'the newest wish waits until the next check',
    promise: 'a held message is moved as soon as its server has answered',
    file: 'src/understudies/understudy-sender.ts',
    piece: '      this.#parts.onAnswered();\n',
    replacement: '',
    by: ['scenario/understudy'],
  },
  {
    name: 'what waited in the lane is sent although its lease is over',
    promise: 'two engines bring no message twice',
    file: 'src/understudies/understudy-sender.ts',
    piece:
      '      if (next.next_attempt_at.getTime() <= this.#parts.wallClock.now().getTime() + SEND_WITHIN_MS) continue;\n',
    replacement: '',
    by: ['scenario/understudy-sender'],
  },
  {
    name: 'a wish that was changed waits as long as the one that failed',
    promise: 'what a provider holds follows the last change',
    file: 'src/understudies/wishes.store.ts',
    piece: "  await failed(wallNow).where('version', '>', version).execute();\n",
    replacement: '',
    by: ['scenario/understudy-sender'],
  },
];
