import type { RoomBreak } from '../room-break.ts';

const THROTTLE = 'src/limits/throttle.service.ts';
const BOOKED = 'src/limits/delivery-budget.ts';
const COST = 'src/limits/cost-budget.ts';

export const LIMITS: readonly RoomBreak[] = [
  {
    name: 'requests of an account are not counted',
    promise: 'a client that runs wild does not slow others down',
    file: 'src/limits/account-rate-limit.ts',
    piece: 'if (count <= this.#maxPerMinute) return;',
    replacement: 'if (count) return;',
    by: ['contract/http-shell'],
  },
  {
    name: 'a clock that is set back locks an account out',
    promise: 'a set clock refuses nobody',
    file: 'src/limits/account-rate-limit.ts',
    piece: 'if (now >= this.#windowEndsAt || now < this.#windowEndsAt - WINDOW_MS) {',
    replacement: 'if (now >= this.#windowEndsAt) {',
    by: ['contract/http-shell'],
  },
  {
    name: 'an account that reads too many rows is never refused',
    promise: 'an account cannot use up what others need',
    file: COST,
    piece: '    if (balance > 0) return;\n',
    replacement: '    if (balance > Number.NEGATIVE_INFINITY) return;\n',
    by: ['contract/noisy-neighbour'],
  },
  {
    name: 'the budget never refills',
    promise: 'an account that waited is served',
    file: COST,
    piece: 'const refill = (Math.max(0, now - bucket.at) / MINUTE_MS) * this.#rowsPerMinute;',
    replacement: 'const refill = 0 * Math.max(0, now - bucket.at);',
    by: ['contract/noisy-neighbour'],
  },
  {
    name: 'the tasks of others use up a person’s own budget',
    promise: 'a member of a space cannot use up another member’s budget',
    file: COST,
    piece: 'this.charge(othersOf(userId), rows);',
    replacement: 'this.charge(userId, rows);',
    by: ['contract/noisy-neighbour'],
  },
  {
    name: 'a burst of nudges waits',
    promise: 'what a person has due at once comes at once',
    file: BOOKED,
    piece: 'const waitMs = leftMs - sliceMs(BURST, perMinute);',
    replacement: 'const waitMs = leftMs - sliceMs(1, perMinute);',
    by: ['src/limits/delivery-budget'],
  },
  {
    name: 'the backlog of an account grows without end',
    promise: 'one account cannot fill the outbox',
    file: BOOKED,
    piece: 'if (waitMs > LONGEST_WAIT_MS)',
    replacement: 'if (waitMs > LONGEST_WAIT_MS * 1_000)',
    by: ['src/limits/delivery-budget'],
  },
  {
    name: 'what was dropped still books time',
    promise: 'an account that sent too much is silent no longer than its backlog',
    file: BOOKED,
    piece: "return { kind: 'drop', booked: { ms: leftMs, atMs }, addedMs: 0 };\n  const addedMs",
    replacement:
      "return { kind: 'drop', booked: { ms: leftMs + sliceMs(deliveries, perMinute), atMs }, addedMs: 0 };\n  const addedMs",
    by: ['src/limits/delivery-budget'],
  },
  {
    name: 'the tasks of others use up a person’s reminders',
    promise: 'a stand-in never loses their own reminders',
    file: BOOKED,
    piece: 'if (leftMs + addedMs > sliceMs(BURST / 2, perMinute))',
    replacement: 'if (leftMs + addedMs > sliceMs(BURST * 2, perMinute))',
    by: ['scenario/stand-ins'],
  },
  {
    name: 'invitations fill a mailbox',
    promise: 'nobody’s mailbox is filled by invitations',
    file: THROTTLE,
    piece: '      [LIMITS.inviteMails, mailbox],\n',
    replacement: '',
    by: ['contract/spaces'],
  },
  {
    name: 'a mail that failed counts as sent',
    promise: 'a failed invitation can be tried again',
    file: THROTTLE,
    piece: '      await this.#uncount(counters);\n      throw error;\n',
    replacement: '      throw error;\n',
    by: ['contract/spaces'],
  },
  {
    name: 'strangers use up the codes of a mailbox’s owner',
    promise: 'strangers cannot keep a person from confirming their own address',
    file: THROTTLE,
    piece: 'if (!isOwn) await this.#enforce([LIMITS.confirmationsToAddress, address]);',
    replacement: 'await this.#enforce([LIMITS.confirmationsToAddress, isOwn ? address : address]);',
    by: ['contract/channel-owners', 'contract/channel-proofs'],
  },
  {
    name: 'one account uses up a host for the others',
    promise: 'no account uses up what a host may get',
    file: THROTTLE,
    piece: 'const isWithin = count <= (subject === host ? fairShare(ofAccount, limit.max) : limit.max);',
    replacement: 'const isWithin = count <= (subject === host ? limit.max : limit.max + ofAccount);',
    by: ['contract/channel-proofs'],
  },
];
