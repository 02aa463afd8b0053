/**
 * What the billing provider tells is kept, and decides the plan of the accounts it concerns. Each
 * event is taken once, by its id, and every plan it may touch is computed anew from all that is
 * known, in the same transaction.
 *
 * Events are taken one at a time, in all processes together: two that are told at once may show only
 * in combination that an account has bought something. They are few, and each takes milliseconds.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import { takeTurn } from '../db/turn.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import {
  attributeEvents,
  deleteGroup,
  findGroup,
  hasEvent,
  insertEvent,
  joinGroup,
  listGroupNames,
  listPayloads,
  lockAccounts,
  lockEvents,
  renameInEvent,
  renameInGroup,
  setPlan,
} from './billing.store.ts';
import { type BillingEvent, readEvent, withoutAccount } from './billing-event.ts';
import { entitlementsFrom } from './entitlement.ts';
import { isUnderstood } from './standing.ts';

type Accounts = Awaited<ReturnType<typeof lockAccounts>>;

export interface Receipt {
  readonly event_id: string;
  /** Applied to an account; recorded, since no account is known for it; or known already. */
  readonly result: 'applied' | 'recorded' | 'repeated';
}

export class BillingService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #sandboxCounts: boolean;
  #last: Promise<unknown> = Promise.resolve();

  constructor(db: Kysely<Database>, clock: Clock, logger: Logger, sandboxCounts: boolean) {
    this.#db = db;
    this.#clock = clock;
    this.#logger = logger;
    this.#sandboxCounts = sandboxCounts;
  }

  async receive(payload: string): Promise<Receipt> {
    const event = readEvent(payload);
    const result = await this.#afterTheOthers(() =>
      transact(this.#db, async (trx) => {
        await takeTurn(trx, 'billing');
        return (await hasEvent(trx, event.id)) ? 'repeated' : this.#take(trx, event, payload);
      }),
    );
    const { id: event_id, type, environment } = event;
    const understood = isUnderstood(event);
    this.#logger.info({ billing: event_id, type, environment, understood, result }, `billing event: ${result}`);
    return { event_id, result };
  }

  /** They would wait for each other in the database too, but each with a connection that people need meanwhile. */
  #afterTheOthers<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /**
   * The accounts are locked before anything else is read: one that is just being deleted is gone
   * afterwards, with all that was known of it.
   */
  async #take(trx: Kysely<Database>, event: BillingEvent, payload: string): Promise<'applied' | 'recorded'> {
    const names = [...new Set([...event.names, ...event.from, ...event.to])];
    const accounts = await lockAccounts(trx, await listGroupNames(trx, names));
    const groupId = await joinGroup(trx, names);
    const concerned = accounts.find(({ id }) => names.includes(id)) ?? accounts[0];
    await insertEvent(trx, {
      ...{ id: event.id, type: event.type, environment: event.environment ?? null, payload },
      ...{ app_user_id: event.names[0] ?? null, group_id: groupId, user_id: concerned?.id ?? null },
      ...{ event_at: new Date(event.at), received_at: this.#clock.now() },
    });
    if (!concerned || groupId === null) return 'recorded';
    await attributeEvents(trx, groupId, concerned.id);
    await this.#decidePlans(trx, groupId, accounts);
    return 'applied';
  }

  async #decidePlans(trx: Kysely<Database>, groupId: string, accounts: Accounts): Promise<void> {
    const events = (await listPayloads(trx, groupId)).map(readEvent);
    const entitlementOf = entitlementsFrom(events.filter((event) => this.#counts(event)));
    for (const account of accounts) {
      const entitlement = entitlementOf(account.id);
      await setPlan(trx, account, entitlement && { plan: entitlement.plan, plan_expires_at: entitlement.expiresAt });
    }
  }

  #counts({ environment }: BillingEvent): boolean {
    return this.#sandboxCounts || environment !== 'SANDBOX';
  }

  /**
   * Before an account is deleted, and while it is locked: all that names it goes. Where another
   * account has what this one once bought, the purchase stays, under a name that means nobody.
   */
  async forgetAccount(trx: Kysely<Database>, userId: string): Promise<void> {
    const groupId = await findGroup(trx, userId);
    if (groupId === undefined) return;
    // Locked first, so that of two accounts that go at once the second finds what the first has left.
    const events = await lockEvents(trx, groupId);
    const others = (await listGroupNames(trx, [userId])).filter((name) => name !== userId);
    const [heir] = await lockAccounts(trx, others);
    if (!heir) return deleteGroup(trx, groupId);
    const standIn = `deleted:${newId()}`;
    await renameInGroup(trx, { from: userId, to: standIn, heirId: heir.id });
    for (const { id, payload } of events.filter((event) => event.payload.toLowerCase().includes(userId))) {
      await renameInEvent(trx, id, { from: userId, to: standIn, payload: withoutAccount(payload, userId, standIn) });
    }
  }
}
