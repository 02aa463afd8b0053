import type { RoomBreak } from '../room-break.ts';

const SERVICE = 'src/billing/billing.service.ts';
const EVENT = 'src/billing/billing-event.ts';

export const BILLING: readonly RoomBreak[] = [
  {
    name: 'an event counts each time it comes',
    promise: 'an event is stored once',
    file: SERVICE,
    piece: "if (await hasEvent(trx, event.id)) return 'repeated';",
    replacement: "if ((await hasEvent(trx, event.id)) && !event.id) return 'repeated';",
    by: ['contract/billing.test'],
  },
  {
    name: 'purchases of the sandbox count',
    promise: 'a test purchase gives no plan',
    file: SERVICE,
    piece: "return this.#sandboxCounts || environment !== 'SANDBOX';",
    replacement: "return this.#sandboxCounts || environment !== '';",
    by: ['contract/billing.test'],
  },
  {
    name: 'the event of a deleted account names it again',
    promise: 'nothing names a deleted account',
    file: SERVICE,
    piece: 'if (known.length === 0) return payload;',
    replacement: 'if (known.length >= 0) return payload;',
    by: ['contract/billing.test'],
  },
  {
    name: 'an account that shares a purchase loses it when the other is deleted',
    promise: 'a deletion takes nothing from others',
    file: SERVICE,
    piece: 'if (accounts.length === 0 && !this.#hasRunningPurchase(stored)) return deleteGroup(trx, groupId);',
    replacement: 'if (!this.#hasRunningPurchase(stored)) return deleteGroup(trx, groupId);',
    by: ['contract/billing.test'],
  },
  {
    name: 'what a customer paid for is lost with the account',
    promise: 'a customer who returns can restore a running purchase',
    file: SERVICE,
    piece: 'if (accounts.length === 0 && !this.#hasRunningPurchase(stored)) return',
    replacement: 'if (accounts.length === 0) return',
    by: ['contract/billing.test'],
  },
  {
    name: 'another spelling of an account id is another customer',
    promise: 'a purchase reaches its account however the app spells its id',
    file: EVENT,
    piece: 'isUuid(text) ? text.toLowerCase() : text',
    replacement: 'isUuid(text) ? text : text',
    by: ['billing/billing-event'],
  },
  {
    name: 'a text that PostgreSQL cannot store is taken',
    promise: 'an odd event loses nothing but its odd field',
    file: EVENT,
    piece: "    value.isWellFormed() &&\n    !value.includes('\\0');",
    replacement: '    value.length > 0;',
    by: ['billing/billing-event'],
    engine: 'postgres',
  },
  {
    name: 'customers that turn out to be one stay two',
    promise: 'a purchase under another name of the customer counts',
    file: 'src/billing/billing.store.ts',
    piece: "    await trx.updateTable('billing_events').set({ group_id }).where('group_id', 'in', others).execute();\n",
    replacement: '',
    by: ['contract/billing.test'],
  },
  {
    name: 'a purchase of the sandbox keeps the data of a deleted account',
    promise: 'what names a deleted account is deleted',
    file: 'src/billing/billing.service.ts',
    piece: 'entitlementsFrom(events.filter((event) => this.#isCounted(event)));\n    const entitlements',
    replacement: 'entitlementsFrom(events);\n    const entitlements',
    by: ['contract/billing.test'],
  },
  {
    name: 'a customer who returns after a rotation of keys is not known',
    promise: 'a customer who returns can restore a running purchase',
    file: 'src/billing/pseudonym.ts',
    piece: 'vault.hashes(PURPOSE, name).map(',
    replacement: '[vault.hash(PURPOSE, name)].map(',
    by: ['billing/pseudonym'],
  },
];
