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
import type { Logger } from '../lib/logger.ts';
import {
  attributeEvents,
  deleteGroup,
  findGroup,
  hasEvent,
  insertEvent,
  joinGroup,
  listGroupNames,
  listKnownNames,
  listPayloads,
  lockAccounts,
  lockEvents,
  passOn,
  renameInGroup,
  replaceEvent,
  setPlan,
} from './billing.store.ts';
import { type BillingEvent, readEvent, renamed } from './billing-event.ts';
import { customersOf } from './customers.ts';
import type { Disguise } from './disguise.ts';
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
  readonly #disguise: Disguise;
  readonly #sandboxCounts: boolean;
  #last: Promise<unknown> = Promise.resolve();

  constructor(db: Kysely<Database>, clock: Clock, logger: Logger, disguise: Disguise, sandboxCounts: boolean) {
    this.#db = db;
    this.#clock = clock;
    this.#logger = logger;
    this.#disguise = disguise;
    this.#sandboxCounts = sandboxCounts;
  }

  async receive(payload: string): Promise<Receipt> {
    const event = readEvent(payload);
    const result = await this.#afterTheOthers(() =>
      transact(this.#db, async (trx) => {
        await takeTurn(trx, 'billing');
        if (await hasEvent(trx, event.id)) return 'repeated';
        const known = await this.#recognise(trx, event, payload);
        return this.#take(trx, readEvent(known), known);
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

  /** Whoever is named as somebody who is gone is called what stands for them: their purchases may still run. */
  async #recognise(trx: Kysely<Database>, event: BillingEvent, payload: string): Promise<string> {
    const disguises = this.#disguise.all(allNames(event));
    const known = await listKnownNames(trx, [...disguises.keys()]);
    if (known.length === 0) return payload;
    return renamed(payload, new Map(known.map((disguise) => [disguises.get(disguise) ?? '', disguise])));
  }

  /**
   * The accounts are locked before anything else is read: one that is just being deleted is gone
   * afterwards, with all that was known of it.
   */
  async #take(trx: Kysely<Database>, event: BillingEvent, payload: string): Promise<'applied' | 'recorded'> {
    const names = allNames(event);
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
   * Before an account is deleted, and while it is locked: all that names it goes, under whatever name
   * the provider knew it. What it bought stays for as long as it runs, or as another account has it,
   * called by what means nobody: whoever comes back, and restores the purchase, finds it.
   */
  async forgetAccount(trx: Kysely<Database>, userId: string): Promise<void> {
    const groupId = await findGroup(trx, userId);
    if (groupId === undefined) return;
    // Locked first, so that of two accounts that go at once the second finds what the first has left.
    const events = (await lockEvents(trx, groupId)).map(({ id, payload }) => ({
      id,
      payload,
      event: readEvent(payload),
    }));
    const told = events.map(({ event }) => event);
    const others = (await listGroupNames(trx, [userId])).filter((name) => name !== userId);
    const accounts = await lockAccounts(trx, others);
    if (accounts.length === 0 && !this.#hasRunning(told)) return deleteGroup(trx, groupId);

    const customerOf = customersOf(told.map(({ names }) => names));
    const isOwn = (name: string) => customerOf(name) === customerOf(userId) && accounts.every(({ id }) => id !== name);
    const own = [userId, ...others.filter(isOwn)];
    const names = new Map(own.map((name) => [name, this.#disguise.of(name)]));
    await renameInGroup(trx, names);
    await passOn(trx, userId, accounts[0]?.id ?? null);
    for (const { id, payload, event } of events.filter(({ event }) =>
      allNames(event).some((name) => names.has(name)),
    )) {
      const app_user_id = names.get(event.names[0] ?? '') ?? event.names[0] ?? null;
      await replaceEvent(trx, id, { app_user_id, payload: renamed(payload, names) });
    }
  }

  #hasRunning(events: readonly BillingEvent[]): boolean {
    const now = this.#clock.now();
    const entitlementOf = entitlementsFrom(events.filter((event) => this.#counts(event)));
    const entitlements = [...new Set(events.flatMap(allNames))].map((name) => entitlementOf(name));
    return entitlements.some((one) => one && (one.expiresAt === null || one.expiresAt > now));
  }
}

const allNames = ({ names, from, to }: BillingEvent): string[] => [...new Set([...names, ...from, ...to])];
