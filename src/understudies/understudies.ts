/**
 * Keeps what providers hold for people in step with their planned nudges. A look compares the two and stores what should
 * change; `understudy-sender.ts` brings that to the providers. People are looked at when something of theirs changed, and
 * in turns, because an announcement can get lost.
 *
 * It runs beside the sweep and never delays a nudge: all it reads of a task is when its next nudge is planned.
 */
import type { Db } from '../db/schema.ts';
import type { SchemaWatch } from '../db/schema-watch.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { DayBudget, Gateways } from '../push/gateway.ts';
import { DayBudgets } from './day-budgets.ts';
import {
  type Allowed,
  type Holder,
  PAID,
  planUnderstudies,
  reconcile,
  stateOf,
  type UnderstudyFacts,
  type WantedUnderstudy,
} from './plan-understudies.ts';
import { recordSounded } from './sounded.ts';
import {
  claimPerson,
  findNextLookAt,
  findPerson,
  forgetPerson,
  forgetUnderstudy,
  insertUnderstudies,
  listAmong,
  listDueLooks,
  listHeld,
  listHoldingChannels,
  listPeople,
  listPlannedNudges,
  listStale,
  recordLook,
  type Understudy,
  updateWish,
  wishRelease,
} from './understudies.store.ts';
import type { UnderstudyCounts } from './understudy-sender.ts';

interface UnderstudiesParts {
  readonly db: Db;
  readonly clock: Clock;
  /** Real time. */
  readonly wallClock: Clock;
  /** How much faster the service's clock runs. */
  readonly clockSpeed: number;
  readonly gateways: Gateways;
  readonly schema: SchemaWatch;
  readonly counts: UnderstudyCounts;
  /** How many messages were sent today within the budget of this name. */
  readonly countOfDay: (key: string) => Promise<number>;
  /** Nobody is left longer than this without a look. */
  readonly lookEveryMs?: number | undefined;
  /** Called when there is something to bring to a provider. */
  readonly onWish: () => void;
}

const PEOPLE_AT_ONCE = 200;
/** A round through all people begins at most this often. */
const ROUND_MS = 60_000;
const LOOK_EVERY_MS = 10 * 60_000;
/** More planned nudges of a person than a message can name. */
const NUDGES_READ = 100;
const AFTER_NUDGE_MS = 5_000;
const MOST_NOTED = 10_000;

type Channel = Awaited<ReturnType<typeof listHoldingChannels>>[number];

export class Understudies {
  readonly #parts: UnderstudiesParts;
  readonly #providers: readonly string[];
  readonly #budgets: DayBudgets;
  readonly #lookEveryMs: number;
  /** People and spaces of which something changed. */
  #noted = new Set<string>();
  /** The last person of this round; null before the first. */
  #cursor: string | null = null;
  #roundEndedAt = Number.NEGATIVE_INFINITY;
  /** Servers that hold messages for a shorter time than is usual, as they have shown. */
  readonly #shorter = new Map<string, number>();

  constructor(parts: UnderstudiesParts) {
    this.#parts = parts;
    this.#providers = Object.entries(parts.gateways).flatMap(([name, gateway]) => (gateway?.holds ? [name] : []));
    this.#budgets = new DayBudgets(parts.wallClock, parts.countOfDay);
    this.#lookEveryMs = parts.lookEveryMs ?? LOOK_EVERY_MS;
  }

  get isOn(): boolean {
    return this.#providers.length > 0;
  }

  /** Something of these people, or in these spaces, changed. */
  note(ids: Iterable<string>): void {
    for (const id of ids) if (this.#noted.size < MOST_NOTED) this.#noted.add(id);
  }

  /**
   * Whether the message may still be held. If its moment has passed while it could not be brought, or its server takes no
   * more of them today, the person is looked at again first.
   */
  async mayHold({
    provider,
    channel_id: channelId,
    address: sealed,
    user_id,
    sounds_at,
  }: Understudy): Promise<boolean> {
    const hasPassed = sounds_at !== null && sounds_at <= this.#parts.clock.now();
    const mayHold = !hasPassed && (await this.#budgets.take(this.#budgetOf(provider, channelId, sealed)));
    if (!mayHold) this.note([user_id]);
    return mayHold;
  }

  #budgetOf(provider: string, channelId: string, sealed: string | null): DayBudget | null {
    return this.#parts.gateways[provider]?.findDayBudget?.({ channelId, sealed }) ?? null;
  }

  /** The server refused to hold a message for so long. */
  noteTooFar(server: string, userId: string, delayMs: number): void {
    this.#shorter.set(server, delayMs / 2);
    this.note([userId]);
  }

  async runAll(signal: AbortSignal): Promise<Date | null> {
    const { db, clock, schema } = this.#parts;
    const noted = [...this.#noted];
    this.#noted = new Set();
    const changed = noted.length === 0 ? [] : await listAmong(db, this.#providers, noted);
    const due = await listDueLooks(db, clock.now(), PEOPLE_AT_ONCE);
    const turn = await this.#takeTurn();
    const stale = turn.length === 0 ? [] : await listStale(db, turn, clock.now());
    let isAnyWished = false;
    for (const id of new Set([...changed, ...due, ...stale])) {
      if (signal.aborted || schema.isOutdated) break;
      if (await this.#look(id)) isAnyWished = true;
    }
    if (isAnyWished) this.#parts.onWish();
    return turn.length === PEOPLE_AT_ONCE ? clock.now() : findNextLookAt(db);
  }

  /** The next people of the round. */
  async #takeTurn(): Promise<string[]> {
    const { db, wallClock } = this.#parts;
    const nowMs = wallClock.now().getTime();
    if (this.#cursor === null && nowMs - this.#roundEndedAt < ROUND_MS && nowMs >= this.#roundEndedAt) return [];
    const people = await listPeople(db, this.#providers, this.#cursor, PEOPLE_AT_ONCE);
    const isLast = people.length < PEOPLE_AT_ONCE;
    this.#cursor = isLast ? null : (people.at(-1) ?? null);
    if (isLast) this.#roundEndedAt = nowMs;
    return people;
  }

  /** Returns whether anything should change at a provider. */
  async #look(userId: string): Promise<boolean> {
    const { db, clock, wallClock, schema } = this.#parts;
    const now = clock.now();
    const before = await this.#findChannel(db, userId);
    // Not inside of the transaction: the counters are not part of it.
    const allowed = before && (await this.#allowedBy(before));
    return transact(db, async (trx) => {
      await schema.hold(trx);
      if (!(await claimPerson(trx, userId, now))) return false;
      const held = await recordSounded(trx, await listHeld(trx, userId), now, wallClock.now(), this.#parts.counts);
      const person = await findPerson(trx, userId);
      if (!person || person.deleted_at !== null) return this.#endAll(trx, userId, held);
      const channel = await this.#findChannel(trx, userId);
      if (channel?.id !== before?.id) {
        this.note([userId]);
        return true;
      }
      const holder = channel && allowed && this.#toHolder(channel, allowed);
      const planned = holder ? await listPlannedNudges(trx, userId, NUDGES_READ) : [];
      const nudges = planned.flatMap(({ id, title, next_fire_at: at, break_quiet_hours: mustNotMiss }) =>
        at ? [{ taskId: id, title, at, mustNotMiss }] : [],
      );
      const facts: UnderstudyFacts = { now, settings: person, holder, nudges };
      const wanted = planUnderstudies(facts);
      const changes = reconcile(held.map(toHeld), wanted, channel?.id, now, wallClock.now());
      await this.#place(trx, userId, channel, changes.placed);
      for (const { id, wanted: wish } of changes.moved) await updateWish(trx, { id, ...toWish(wish) }, wallClock.now());
      const cancelled = new Set(changes.cancelled);
      await this.#cancel(
        trx,
        held.filter(({ id }) => cancelled.has(id)),
      );
      const looks = [now.getTime() + this.#lookEveryMs, changes.nextMoveAt?.getTime(), nextNudgeMs(facts)];
      const checkAt = new Date(Math.min(...looks.filter((at) => at !== undefined)));
      await recordLook(trx, userId, { checkAt, state: stateOf(facts) });
      if (!channel && held.length === 0) await forgetPerson(trx, userId);
      return changes.placed.length + changes.moved.length + changes.cancelled.length > 0;
    });
  }

  async #findChannel(trx: Db, userId: string): Promise<Channel | undefined> {
    const channels = await listHoldingChannels(trx, userId, this.#providers);
    const { gateways } = this.#parts;
    return channels.find(({ provider, server, address }) => {
      return address !== null && gateways[provider]?.holds?.isElsewhere(server);
    });
  }

  async #allowedBy({ id: channelId, provider, address: sealed }: Channel): Promise<Allowed> {
    const allowed = await this.#budgets.allowedBy(this.#budgetOf(provider, channelId, sealed));
    return this.#parts.gateways[provider]?.holds?.isPaid ? PAID : allowed;
  }

  #toHolder({ id, provider, server, private_title }: Channel, allowed: Allowed): Holder | undefined {
    const { gateways, clockSpeed } = this.#parts;
    const holds = gateways[provider]?.holds;
    if (!holds) return undefined;
    const maxMs = Math.min(holds.maxMs, this.#shorter.get(server ?? '') ?? Number.POSITIVE_INFINITY);
    return {
      channelId: id,
      isPrivate: private_title,
      minMs: holds.minMs * clockSpeed,
      maxMs: maxMs * clockSpeed,
      allowed,
    };
  }

  async #place(trx: Db, userId: string, channel: Channel | undefined, wanted: readonly WantedUnderstudy[]) {
    if (!channel || channel.address === null) return;
    const { id: channel_id, provider, server, address } = channel;
    const next_attempt_at = this.#parts.wallClock.now();
    const rows = wanted.map((one): Understudy => {
      const id = newId();
      return {
        id,
        user_id: userId,
        channel_id,
        slot: one.slot,
        provider,
        server,
        address,
        ...toWish(one),
        version: 1,
        stored_version: 0,
        held_until: null,
        ref: id,
        moved_at: null,
        attempts: 0,
        next_attempt_at,
        error: null,
      };
    });
    await insertUnderstudies(trx, rows);
  }

  /** What no provider was ever asked to hold is only forgotten. */
  async #cancel(trx: Db, held: readonly Understudy[]): Promise<void> {
    for (const one of held) {
      // A later wish has attempts of its own: the first one may be on its way.
      if (one.version === 1 && one.stored_version === 0 && one.attempts === 0) await forgetUnderstudy(trx, one);
      else await wishRelease(trx, one, this.#parts.wallClock.now(), one.slot);
    }
  }

  /** The account is gone: nothing of it stays here but what is needed to take its messages back. */
  async #endAll(trx: Db, userId: string, held: readonly Understudy[]): Promise<boolean> {
    const wanted = held.filter(({ sounds_at }) => sounds_at !== null);
    await this.#cancel(trx, wanted);
    const checkAt = new Date(this.#parts.clock.now().getTime() + this.#lookEveryMs);
    await recordLook(trx, userId, { checkAt, state: 'off' });
    await forgetPerson(trx, userId);
    return wanted.length > 0;
  }
}

/** Shortly after the first nudge that is still to come, which plans the next one. */
const nextNudgeMs = ({ now, nudges }: UnderstudyFacts): number | undefined => {
  const next = nudges.find(({ at }) => at > now);
  return next && next.at.getTime() + AFTER_NUDGE_MS;
};

const toWish = ({ soundsAt, content, stage }: WantedUnderstudy) => ({
  sounds_at: soundsAt,
  content: JSON.stringify(content),
  stage,
});

const toHeld = ({ id, channel_id, slot, sounds_at, content, stage, moved_at }: Understudy) => ({
  id,
  channelId: channel_id,
  slot,
  soundsAt: sounds_at,
  content,
  stage,
  movedAt: moved_at,
});
