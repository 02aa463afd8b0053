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
import type { Understudy } from '../db/tables/understudies.ts';
import { transact } from '../db/transact.ts';
import { type Clock, stopwatch } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { nextTurn } from '../lib/next-turn.ts';
import type { Channel, Holders } from './holders.ts';
import {
  type Allowed,
  type Holder,
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
  findLook,
  findNextLookAt,
  findPerson,
  forgetPerson,
  type Look,
  listAmong,
  listDueLooks,
  listHeld,
  listPeople,
  listPlannedNudges,
  listStale,
  type NewLook,
  recordLook,
} from './understudies.store.ts';
import type { UnderstudyCounts } from './understudy-sender.ts';
import { forgetUnderstudy, insertUnderstudies, updateWish, wishRelease } from './wishes.store.ts';

interface UnderstudiesParts {
  readonly db: Db;
  readonly clock: Clock;
  /** Real time. */
  readonly wallClock: Clock;
  /** How much faster the service's clock runs. */
  readonly clockSpeed: number;
  readonly schema: SchemaWatch;
  readonly counts: UnderstudyCounts;
  readonly holders: Holders;
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
/** A nudge that should have been sent by now is sent soon, and then what is held has to move. */
const AFTER_OVERDUE_MS = 60_000;
const MOST_NOTED = 10_000;
const NEVER = Number.NEGATIVE_INFINITY;

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

export class Understudies {
  readonly #parts: UnderstudiesParts;
  readonly #lookEveryMs: number;
  /** People and spaces of which something changed. */
  #noted = new Set<string>();
  /** The last person of this round; null before the first. */
  #cursor: string | null = null;
  #roundEndedAt = NEVER;
  constructor(parts: UnderstudiesParts) {
    this.#parts = parts;
    this.#lookEveryMs = parts.lookEveryMs ?? LOOK_EVERY_MS;
  }

  /** Something of these people, or in these spaces, changed. */
  note(ids: Iterable<string>): void {
    for (const id of ids) if (this.#noted.size < MOST_NOTED) this.#noted.add(id);
  }

  async runAll(signal: AbortSignal): Promise<Date | null> {
    const [noted, cursor, roundEndedAt] = [[...this.#noted], this.#cursor, this.#roundEndedAt];
    this.#noted = new Set();
    try {
      return await this.#runOnce(noted, signal);
    } catch (error) {
      // Nobody is told of these people a second time.
      this.note(noted);
      this.#cursor = cursor;
      this.#roundEndedAt = roundEndedAt;
      throw error;
    }
  }

  async #runOnce(noted: readonly string[], signal: AbortSignal): Promise<Date | null> {
    const { db, clock, holders } = this.#parts;
    const changed = noted.length === 0 ? [] : await listAmong(db, holders.providers, noted);
    const due = await listDueLooks(db, clock.now(), PEOPLE_AT_ONCE);
    // The process before may have died with announcements, so the first round looks at everybody.
    const isFirstRound = this.#roundEndedAt === NEVER;
    const turn = await this.#takeTurn();
    const stale = turn.length === 0 || isFirstRound ? turn : await listStale(db, turn, clock.now());
    await this.#lookAtAll(new Set([...changed, ...due, ...stale]), signal);
    return turn.length === PEOPLE_AT_ONCE ? clock.now() : findNextLookAt(db);
  }

  async #lookAtAll(people: Iterable<string>, signal: AbortSignal): Promise<void> {
    const { schema, isNudging, onWish } = this.#parts;
    const waitedMs = stopwatch();
    let isAnyWished = false;
    try {
      for (const id of people) {
        if (signal.aborted || schema.isOutdated) break;
        // Nudges come first, but an engine may be busy all day.
        while (isNudging() && waitedMs() < LONGEST_YIELD_MS && !signal.aborted) await delay(YIELD_MS);
        // Others are served between two people.
        await nextTurn();
        if (await this.#look(id)) isAnyWished = true;
      }
    } finally {
      if (isAnyWished) onWish();
    }
  }

  /** The next people of the round. */
  async #takeTurn(): Promise<string[]> {
    const { db, wallClock, holders } = this.#parts;
    const nowMs = wallClock.now().getTime();
    if (this.#cursor === null && nowMs - this.#roundEndedAt < ROUND_MS && nowMs >= this.#roundEndedAt) return [];
    const people = await listPeople(db, holders.providers, this.#cursor, PEOPLE_AT_ONCE);
    const isLast = people.length < PEOPLE_AT_ONCE;
    this.#cursor = isLast ? null : (people.at(-1) ?? null);
    if (isLast) this.#roundEndedAt = nowMs;
    return people;
  }

  /** Returns whether anything should change at a provider. Most looks find everything in place, and only read. */
  async #look(userId: string): Promise<boolean> {
    const { db, schema, holders } = this.#parts;
    const channel = await holders.findChannel(db, userId);
    // Not inside of the transaction: the counters are not part of it.
    const allowed = channel && (await holders.allowedBy(userId, channel));
    if (isSettled(await this.#see(db, userId, channel, allowed))) return false;
    return transact(db, async (trx) => {
      await schema.hold(trx);
      if (!(await claimPerson(trx, userId, this.#parts.clock.now()))) return false;
      const current = await holders.findChannel(trx, userId);
      if (current?.id !== channel?.id) {
        this.note([userId]);
        return true;
      }
      return this.#settle(trx, userId, await this.#see(trx, userId, current, allowed));
    });
  }

  /** What is held for a person, and what should be. */
  async #see(db: Db, userId: string, channel: Channel | undefined, allowed: Allowed | undefined): Promise<Seen> {
    const { clock, wallClock, holders } = this.#parts;
    const now = clock.now();
    const all = await listHeld(db, userId);
    const sounded = all.filter((one) => isSounded(one, now));
    const held = all.filter((one) => !sounded.includes(one));
    const person = await findPerson(db, userId);
    const isGone = !person || person.deleted_at !== null;
    const holder = !isGone && channel && allowed && holders.toHolder(channel, allowed);
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
