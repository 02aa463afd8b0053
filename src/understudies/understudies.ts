/**
 * Keeps what providers hold for people in step with their planned nudges. A look compares the two and stores what should
 * change; `understudy-sender.ts` brings that to the providers. People are looked at when something of theirs changed, and
 * in turns, because an announcement can get lost.
 *
 * It runs beside the sweep and never delays a nudge: all it reads of a task is when its next nudge is planned.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../db/schema.ts';
import type { SchemaWatch } from '../db/schema-watch.ts';
import { transact } from '../db/transact.ts';
import { type Clock, stopwatch } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { type DayBudget, type Gateways, isDeviceProvider } from '../push/gateway.ts';
import { DayBudgets } from './day-budgets.ts';
import {
  type Allowed,
  type Holder,
  NONE,
  PAID,
  planUnderstudies,
  type Reconciled,
  reconcile,
  stateOf,
  type UnderstudyFacts,
  type WantedUnderstudy,
} from './plan-understudies.ts';
import { isSounded, recordSounded } from './sounded.ts';
import {
  claimPerson,
  countHeldForOthers,
  findLook,
  findNextLookAt,
  findPerson,
  forgetPerson,
  forgetUnderstudy,
  insertUnderstudies,
  type Look,
  listAmong,
  listDueLooks,
  listHeld,
  listPeople,
  listPlannedNudges,
  listStale,
  listUsableChannels,
  type NewLook,
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
  /** Whether nudges are being sent at this moment. */
  readonly isNudging: () => boolean;
  /** Called when there is something to bring to a provider. */
  readonly onWish: () => void;
}

const PEOPLE_AT_ONCE = 200;
/** A round through all people begins at most this often. */
const ROUND_MS = 60_000;
const LOOK_EVERY_MS = 10 * 60_000;
const AFTER_NUDGE_MS = 5_000;
const YIELD_MS = 20;
const LONGEST_YIELD_MS = 30_000;
/** After this long a server that refused to hold messages is asked again. */
const UNFIT_MS = 3_600_000;
/** A nudge that should have been sent by now is sent soon, and then what is held has to move. */
const AFTER_OVERDUE_MS = 60_000;
const MOST_NOTED = 10_000;
const NO_PROVIDER = '';

/** What a look found. */
interface Seen {
  readonly now: Date;
  /** The account is deleted. */
  readonly isGone: boolean;
  /** What the provider has sounded since the last look. */
  readonly sounded: readonly Understudy[];
  readonly held: readonly Understudy[];
  readonly channel: Channel | undefined;
  readonly changes: Reconciled;
  /** Of the look before; undefined if there was none. */
  readonly known: Look | undefined;
  readonly look: NewLook;
}

type Channel = Awaited<ReturnType<typeof listUsableChannels>>[number];

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

  /** Channels that refused to hold messages, and when in real time. */
  readonly #unfit = new Map<string, number>();

  constructor(parts: UnderstudiesParts) {
    this.#parts = parts;
    const holding = Object.entries(parts.gateways).flatMap(([name, gateway]) => (gateway?.holds ? [name] : []));
    // SQL knows no empty list.
    this.#providers = holding.length > 0 ? holding : [NO_PROVIDER];
    this.#budgets = new DayBudgets(parts.wallClock, parts.countOfDay);
    this.#lookEveryMs = parts.lookEveryMs ?? LOOK_EVERY_MS;
  }

  /** Also if nothing is to be held any more: what was held before is taken back. */
  get isOn(): boolean {
    return Object.keys(this.#parts.gateways).some((name) => !isDeviceProvider(name));
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

  /** The server of this channel cannot hold messages, or is this machine: another channel of the person is tried. */
  noteUnfit(channelId: string, userId: string): void {
    if (this.#unfit.size >= MOST_NOTED) this.#unfit.clear();
    this.#unfit.set(channelId, this.#parts.wallClock.now().getTime());
    this.note([userId]);
  }

  async runAll(signal: AbortSignal): Promise<Date | null> {
    const { db, clock, schema, isNudging } = this.#parts;
    const noted = [...this.#noted];
    this.#noted = new Set();
    const changed = noted.length === 0 ? [] : await listAmong(db, this.#providers, noted);
    const due = await listDueLooks(db, clock.now(), PEOPLE_AT_ONCE);
    const turn = await this.#takeTurn();
    const stale = turn.length === 0 ? [] : await listStale(db, turn, clock.now());
    let isAnyWished = false;
    const people = new Set([...changed, ...due, ...stale]);
    const waitedMs = stopwatch();
    for (const id of people) {
      if (signal.aborted || schema.isOutdated) break;
      // Nudges come first, but an engine may be busy all day.
      while (isNudging() && waitedMs() < LONGEST_YIELD_MS && !signal.aborted) await delay(YIELD_MS);
      // Others are served between two people.
      await nextTurn();
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

  /** Returns whether anything should change at a provider. Most looks find everything in place, and only read. */
  async #look(userId: string): Promise<boolean> {
    const { db, schema } = this.#parts;
    const channel = await this.#findChannel(db, userId);
    // Not inside of the transaction: the counters are not part of it.
    const allowed = channel && (await this.#allowedBy(userId, channel));
    if (isSettled(await this.#see(db, userId, channel, allowed))) return false;
    return transact(db, async (trx) => {
      await schema.hold(trx);
      if (!(await claimPerson(trx, userId, this.#parts.clock.now()))) return false;
      const current = await this.#findChannel(trx, userId);
      if (current?.id !== channel?.id) {
        this.note([userId]);
        return true;
      }
      return this.#settle(trx, userId, await this.#see(trx, userId, current, allowed));
    });
  }

  /** What is held for a person, and what should be. */
  async #see(db: Db, userId: string, channel: Channel | undefined, allowed: Allowed | undefined): Promise<Seen> {
    const { clock, wallClock } = this.#parts;
    const now = clock.now();
    const all = await listHeld(db, userId);
    const sounded = all.filter((one) => isSounded(one, now));
    const held = all.filter((one) => !sounded.includes(one));
    const person = await findPerson(db, userId);
    const isGone = !person || person.deleted_at !== null;
    const holder = !isGone && channel && allowed && this.#toHolder(channel, allowed);
    const planned = holder ? await listPlannedNudges(db, userId) : [];
    const nudges = planned.flatMap(({ id, title, next_fire_at: at, break_quiet_hours: mustNotMiss }) =>
      at ? [{ taskId: id, title, at, mustNotMiss }] : [],
    );
    const facts = isGone ? undefined : { now, settings: person, holder: holder || undefined, nudges };
    const wanted = facts ? planUnderstudies(facts) : [];
    const changes = reconcile(held.map(toHeld), wanted, channel?.id, now, wallClock.now());
    const looks = [now.getTime() + this.#lookEveryMs, changes.nextMoveAt?.getTime(), facts && nextNudgeMs(facts)];
    return {
      now,
      isGone,
      sounded,
      held,
      channel,
      changes,
      known: await findLook(db, userId),
      look: {
        checkAt: new Date(Math.min(...looks.filter((at) => at !== undefined))),
        state: facts ? stateOf(facts) : 'off',
        ...this.#placeOf(facts?.holder),
      },
    };
  }

  #placeOf(holder: Holder | undefined) {
    const horizonMs = holder ? holder.maxMs / this.#parts.clockSpeed : null;
    return { channel_id: holder?.channelId ?? null, horizon_seconds: horizonMs && Math.round(horizonMs / 1_000) };
  }

  async #settle(trx: Db, userId: string, { isGone, sounded, held, channel, changes, look }: Seen): Promise<boolean> {
    const { clock, wallClock, counts } = this.#parts;
    await recordSounded(trx, sounded, clock.now(), wallClock.now(), counts);
    await this.#place(trx, userId, channel, changes.placed);
    for (const { id, wanted: wish } of changes.moved) await updateWish(trx, { id, ...toWish(wish) }, wallClock.now());
    const cancelled = new Set(changes.cancelled);
    await this.#cancel(
      trx,
      held.filter(({ id }) => cancelled.has(id)),
    );
    await recordLook(trx, userId, look);
    // Nothing of a person without a channel stays here but what is needed to take their messages back.
    if (!channel || isGone) await forgetPerson(trx, userId);
    return sounded.length + changes.placed.length + changes.moved.length + changes.cancelled.length > 0;
  }

  async #findChannel(trx: Db, userId: string): Promise<Channel | undefined> {
    const channels = await listUsableChannels(trx, userId);
    const { gateways } = this.#parts;
    const able = channels.filter(
      ({ provider, server, address }) => address !== null && gateways[provider]?.holds?.isElsewhere(server),
    );
    const nowMs = this.#parts.wallClock.now().getTime();
    const isFree = ({ provider }: Channel) => gateways[provider]?.holds?.mostPaid === undefined;
    const inOrder = [...able.filter(isFree), ...able.filter((one) => !isFree(one))];
    return inOrder.find(({ id }) => Math.abs(nowMs - (this.#unfit.get(id) ?? 0)) > UNFIT_MS) ?? inOrder[0];
  }

  async #allowedBy(userId: string, { id: channelId, provider, address: sealed }: Channel): Promise<Allowed> {
    const { db, gateways } = this.#parts;
    const mostPaid = gateways[provider]?.holds?.mostPaid;
    if (mostPaid === undefined) return this.#budgets.allowedBy(this.#budgetOf(provider, channelId, sealed));
    const left = mostPaid - (await countHeldForOthers(db, userId, provider));
    return left > 0 ? { ...PAID, ofTasks: Math.min(PAID.ofTasks, left - PAID.general) } : NONE;
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
}

const isSettled = ({ now, sounded, changes, known, look, channel }: Seen): boolean => {
  if (sounded.length + changes.placed.length + changes.moved.length + changes.cancelled.length > 0) return false;
  if (!known) return !channel;
  const isSame = (['state', 'channel_id', 'horizon_seconds'] as const).every((name) => known[name] === look[name]);
  return isSame && known.check_at > now && known.check_at <= look.checkAt;
};

/** Shortly after the first nudge, which plans the next one. */
const nextNudgeMs = ({ now, nudges: [first] }: UnderstudyFacts): number | undefined => {
  if (!first) return undefined;
  return first.at > now ? first.at.getTime() + AFTER_NUDGE_MS : now.getTime() + AFTER_OVERDUE_MS;
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
