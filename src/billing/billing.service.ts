/**
 * Stores the events of the billing provider and sets the plans of the accounts concerned. Each event is
 * stored once, by its id, and every plan it can affect is recomputed from all stored events in the same
 * transaction.
 *
 * Events are processed one at a time across all processes: two concurrent events may show only in
 * combination that an account has bought something. They are few, and each takes milliseconds.
 */
import type { Static } from 'typebox';
import type { Db } from '../db/schema.ts';
import { announce, lockUntilCommit, transact } from '../db/transact.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { BillingReceipt } from './billing.schemas.ts';
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
  reassignEvents,
  renameCustomers,
  setPlan,
  updateEvent,
} from './billing.store.ts';
import { type BillingEvent, readEvent, replaceNames } from './billing-event.ts';
import { entitlementsFrom, resolveAliases } from './entitlement.ts';
import { namesByPseudonym, pseudonymOf } from './pseudonym.ts';
import { isUnderstood } from './purchase-access.ts';

type Accounts = Awaited<ReturnType<typeof lockAccounts>>;

type Receipt = Static<typeof BillingReceipt>;

export class BillingService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #vault: Vault;
  readonly #sandboxCounts: boolean;
  /** The advisory lock would do, but each waiting event would occupy a database connection. */
  readonly #oneAtATime = new Semaphore({ capacity: 1 });

  constructor(db: Db, clock: Clock, logger: Logger, vault: Vault, sandboxCounts: boolean) {
    this.#db = db;
    this.#clock = clock;
    this.#logger = logger;
    this.#vault = vault;
    this.#sandboxCounts = sandboxCounts;
  }

  async receive(payload: string): Promise<Receipt> {
    const event = readEvent(payload);
    const result = await this.#store(event, payload);
    const { id: event_id, type, environment } = event;
    const understood = isUnderstood(event);
    this.#logger.info({ billing: event_id, type, environment, understood, result }, `billing event: ${result}`);
    return { event_id, result };
  }

  async #store(event: BillingEvent, payload: string): Promise<Receipt['result']> {
    const release = await this.#oneAtATime.acquire();
    try {
      return await transact(this.#db, async (trx) => {
        await lockUntilCommit(trx, 'billing');
        if (await hasEvent(trx, event.id)) return 'repeated';
        const pseudonymized = await this.#pseudonymize(trx, event, payload);
        return this.#apply(trx, readEvent(pseudonymized), pseudonymized);
      });
    } finally {
      release();
    }
  }

  /** Replaces the names of deleted accounts, whose purchases may still run, by their pseudonyms. */
  async #pseudonymize(trx: Db, event: BillingEvent, payload: string): Promise<string> {
    const names = namesByPseudonym(this.#vault, allNames(event));
    const known = await listKnownNames(trx, [...names.keys()]);
    if (known.length === 0) return payload;
    return replaceNames(payload, new Map(known.map((pseudonym) => [names.get(pseudonym) ?? '', pseudonym])));
  }

  /** Locks the accounts first: an account that is being deleted is gone by then, with its events. */
  async #apply(trx: Db, event: BillingEvent, payload: string): Promise<'applied' | 'recorded'> {
    const names = allNames(event);
    const accounts = await lockAccounts(trx, await listGroupNames(trx, names));
    const groupId = await joinGroup(trx, names);
    const concerned = accounts.find(({ id }) => names.includes(id)) ?? accounts[0];
    await insertEvent(trx, {
      id: event.id,
      type: event.type,
      environment: event.environment ?? null,
      payload,
      app_user_id: event.names[0] ?? null,
      group_id: groupId,
      user_id: concerned?.id ?? null,
      event_at: new Date(event.at),
      received_at: this.#clock.now(),
    });
    if (!concerned || groupId === null) return 'recorded';
    await attributeEvents(trx, groupId, concerned.id);
    await this.#updatePlans(trx, groupId, accounts);
    return 'applied';
  }

  async #updatePlans(trx: Db, groupId: string, accounts: Accounts): Promise<void> {
    const events = (await listPayloads(trx, groupId)).map(readEvent);
    const entitlementOf = entitlementsFrom(events.filter((event) => this.#isCounted(event)));
    const ids = accounts.map(({ id }) => id);
    announce(trx, ids);
    for (const account of accounts) {
      const entitlement = entitlementOf(account.id);
      await setPlan(trx, account, entitlement && { plan: entitlement.plan, plan_expires_at: entitlement.expiresAt });
    }
  }

  #isCounted({ environment }: BillingEvent): boolean {
    return this.#sandboxCounts || environment !== 'SANDBOX';
  }

  /**
   * Removes everything that names the account, under all names that the provider knows it by. Must be
   * called before the account is deleted, while it is locked. Purchases that still run, or that another
   * account shares, stay under pseudonyms, so that a customer who returns can restore them.
   */
  async forgetAccount(trx: Db, userId: string): Promise<void> {
    const groupId = await findGroup(trx, userId);
    if (groupId === undefined) return;
    // Locked first: of two accounts deleted at the same time, the second sees the changes of the first.
    const events = (await lockEvents(trx, groupId)).map(({ id, payload }) => ({
      id,
      payload,
      event: readEvent(payload),
    }));
    const stored = events.map(({ event }) => event);
    const others = (await listGroupNames(trx, [userId])).filter((name) => name !== userId);
    const accounts = await lockAccounts(trx, others);
    if (accounts.length === 0 && !this.#hasRunningPurchase(stored)) return deleteGroup(trx, groupId);

    const customerOf = resolveAliases(stored.map(({ names }) => names));
    const isOwn = (name: string) => customerOf(name) === customerOf(userId) && accounts.every(({ id }) => id !== name);
    const own = [userId, ...others.filter(isOwn)];
    const names = new Map(own.map((name) => [name, pseudonymOf(this.#vault, name)]));
    await renameCustomers(trx, names);
    await reassignEvents(trx, userId, accounts[0]?.id ?? null);
    for (const { id, payload, event } of events) {
      if (!allNames(event).some((name) => names.has(name))) continue;
      const app_user_id = names.get(event.names[0] ?? '') ?? event.names[0] ?? null;
      await updateEvent(trx, id, { app_user_id, payload: replaceNames(payload, names) });
    }
  }

  #hasRunningPurchase(events: readonly BillingEvent[]): boolean {
    const now = this.#clock.now();
    const entitlementOf = entitlementsFrom(events.filter((event) => this.#isCounted(event)));
    const entitlements = [...new Set(events.flatMap(allNames))].map((name) => entitlementOf(name));
    return entitlements.some((found) => found && (found.expiresAt === null || found.expiresAt > now));
  }
}

const allNames = ({ names, from, to }: BillingEvent): string[] => [...new Set([...names, ...from, ...to])];
