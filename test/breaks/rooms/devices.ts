import type { RoomBreak } from '../room-break.ts';

const SERVICE = 'src/devices/devices.service.ts';
const STORE = 'src/devices/devices.store.ts';

export const DEVICES: readonly RoomBreak[] = [
  {
    name: 'a phone that changed hands stays with its former owner too',
    promise: 'a phone shows the tasks of its present owner alone',
    file: SERVICE,
    piece: 'const tokenHash = hashOf(platform, token);',
    replacement: 'const tokenHash = hashOf(platform, `${caller.userId}${token}`);',
    by: ['contract/devices'],
  },
  {
    name: 'a late report of the provider ends a token that came back',
    promise: 'a device that registered again is nudged',
    file: STORE,
    piece: "    .where('registered_at', '<=', since)\n",
    replacement: '',
    by: ['scenario/push'],
  },
  {
    name: 'the newest device is replaced',
    promise: 'a new phone replaces the one that was not seen for longest',
    file: STORE,
    piece: "    .orderBy(seenAt, 'desc')\n",
    replacement: "    .orderBy(seenAt, 'asc')\n",
    by: ['contract/devices'],
  },
  {
    name: 'devices of an account are not bounded',
    promise: 'an account has a bounded number of devices',
    file: STORE,
    piece: 'return valid.slice(kept);',
    replacement: 'return valid.slice(kept + 1_000);',
    by: ['contract/devices'],
  },
  {
    name: 'a removed phone keeps its Live Activities',
    promise: 'a removed phone shows no title any more',
    file: SERVICE,
    piece: '      await endActivity(trx, activity, newId(), this.#clock.now());\n',
    replacement: '      void [activity, endActivity, newId];\n',
    by: ['scenario/push'],
  },
  {
    name: 'another person removes a device',
    promise: 'a device is removed by its owner alone',
    file: STORE,
    piece: "selectFrom('devices').selectAll().where('id', '=', id).where('user_id', '=', userId)",
    replacement: "selectFrom('devices').selectAll().where('id', '=', id).where('id', '!=', userId)",
    by: ['contract/devices'],
  },
  {
    name: 'another person’s ping keeps a device alive',
    promise: 'a device belongs to one account',
    file: STORE,
    piece: "    .where('user_id', '=', userId)\n    .returningAll()",
    replacement: "    .where('user_id', '!=', '')\n    .returningAll()",
    also: {
      piece: 'userId: string, tokenHash: string, seenAt',
      replacement: '_userId: string, tokenHash: string, seenAt',
    },
    by: ['contract/devices'],
  },
  {
    name: 'a token in other letters is another device',
    promise: 'a device is nudged once',
    file: 'src/devices/device-input.ts',
    piece: '? token.toLowerCase() : token',
    replacement: '? token : token',
    by: ['contract/devices'],
  },
  {
    name: 'a push to a dead device is tried for ever',
    promise: 'a device that the provider calls dead is not nudged',
    file: 'src/devices/test-push.service.ts',
    piece: "if (result.kind === 'gone')",
    replacement: "if (result.kind === 'accepted' && result.ref === '')",
    also: { piece: 'result.reason, result.since ?? sentAt', replacement: "'', sentAt" },
    by: ['scenario/push'],
  },
];
