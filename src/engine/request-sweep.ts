/**
 * Turns due messages about requests into deliveries, and plans the next repeat, in one transaction. A crash before the
 * commit has sent nothing; after it, the outbox sends what is left. `tasks/requests/request-messages.ts` decides.
 *
 * Engines claim different messages. The messages to one person are counted one engine after the other, so that all
 * engines together keep to the bound of the day.
 */
import type { Db } from '../db/schema.ts';
import type { SchemaWatch } from '../db/schema-watch.ts';
import { announce, lockUntilCommit, transact } from '../db/transact.ts';
import type { PushDispatcher } from '../deliveries/outgoing-push.ts';
import { listRequestsToTell } from '../deliveries/requests-to-tell.ts';
import { type Clock, DUE_NOW } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import { findServer } from '../lib/server-of.ts';
import { providerOf } from '../push/gateway.ts';
import { insertRequestMessage } from '../tasks/requests/request-messages.store.ts';
import {
  type Decision,
  decide,
  MOST_REPEATS,
  nextDayStart,
  type RequestToTell,
  type Sent,
} from '../tasks/requests/request-messages.ts';
import { type Channel, type Device, listUsableChannels, listValidDevices } from './nudge-targets.store.ts';
import {
  claimRequestMessage,
  claimRequestMessages,
  type Decided,
  findNextRequestMessageAt,
  listSentMessages,
  listWithOthers,
  postponeRequestMessage,
  recordDecided,
} from './request-sweep.store.ts';
import { insertDeliveries, type NewDelivery } from './sweep.store.ts';
import type { AddOwnChannels } from './sweep.ts';

interface RequestSweepParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly dispatcher: PushDispatcher;
  readonly addOwnChannels: AddOwnChannels;
  readonly schema: SchemaWatch;
  readonly logger: Logger;
}

/** A calendar day lasts up to 25 hours, and a person may have moved to another zone. */
const LOOK_BACK_MS = 50 * 3_600_000;
const BATCH = 50;
const POSTPONE_MS = 900_000;

export class RequestSweep {
  readonly #parts: RequestSweepParts;

  constructor(parts: RequestSweepParts) {
    this.#parts = parts;
  }

  /** Handles everything that is due. Resolves with the moment of the next message. */
  async runAll(signal: AbortSignal): Promise<Date | null> {
    const { db, clock } = this.#parts;
    while (!signal.aborted) {
      const next = await findNextRequestMessageAt(db);
      if (!next || next > clock.now()) return next;
      // If another engine has locked them all, the next check finds what it leaves.
      if ((await this.#runOnce()) === 0) return null;
    }
    return null;
  }

  async #runOnce(): Promise<number> {
    const now = this.#parts.clock.now();
    let claimed: string[] = [];
    try {
      await this.#run(now, async (trx) => {
        claimed = await claimRequestMessages(trx, now, BATCH);
        return claimed;
      });
    } catch (error) {
      if (claimed.length === 0 || isUnavailable(error)) throw error;
      for (const id of claimed) await this.#runAlone(id, now);
    }
    return claimed.length;
  }

  /** One bad message never stops the others. */
  async #runAlone(id: string, now: Date): Promise<void> {
    try {
      await this.#run(now, (trx) => claimRequestMessage(trx, id, now));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      this.#parts.logger.error({ err: error, request_message_id: id }, 'telling of a request failed');
      await postponeRequestMessage(this.#parts.db, id, new Date(now.getTime() + POSTPONE_MS));
    }
  }

  async #run(now: Date, claim: (trx: Db) => Promise<readonly string[]>): Promise<void> {
    const { db, dispatcher, schema } = this.#parts;
    const providers = await transact(db, async (trx) => {
      await schema.hold(trx);
      const ids = await claim(trx);
      const requests = await listRequestsToTell(trx, ids);
      const known = ids.flatMap((id) => requests.get(id) ?? []);
      return known.length === 0 ? new Set<string>() : this.#tell(trx, known, now);
    });
    for (const provider of providers) dispatcher.checkOutbox(provider);
  }

  /** Returns the providers that have something to send. */
  async #tell(trx: Db, requests: readonly RequestToTell[], now: Date): Promise<ReadonlySet<string>> {
    const recipients = [...new Set(requests.map(({ recipientId }) => recipientId))].toSorted();
    for (const id of recipients) await lockUntilCommit(trx, `messages to ${id}`);
    const sent = await listSentMessages(trx, recipients, new Date(now.getTime() - LOOK_BACK_MS));
    const withOthers = await listWithOthers(trx, recipients);
    const targets = await this.#listTargets(trx, recipients);
    const decided: Decided[] = [];
    const deliveries: NewDelivery[] = [];
    for (const request of requests) {
      const { message, recipientId } = request;
      const ofRecipient = sent.filter(({ recipient_id }) => recipient_id === recipientId);
      const decision = decide(request, ofRecipient, withOthers.has(recipientId), now);
      const added = decision.kind === 'send' ? deliveriesFor(request, targets.get(recipientId) ?? [], now) : [];
      deliveries.push(...added);
      if (added.length > 0) sent.push(toSent(request, now));
      decided.push(toDecided(message.id, decision, added.length > 0, now));
      if (decision.kind === 'send' || decision.kind === 'pass') await planNext(trx, request, now);
    }
    await recordDecided(trx, decided);
    await insertDeliveries(trx, deliveries);
    return new Set(deliveries.map(({ provider }) => provider));
  }

  /** Browsers and channels, whatever their tier and stages: no phones, and nothing that is paid for by the message. */
  async #listTargets(trx: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, readonly MessageTarget[]>> {
    const { dispatcher, addOwnChannels, wallClock } = this.#parts;
    const devices = await listValidDevices(trx, userIds);
    const browsers = devices.filter(({ platform }) => platform === 'web').map(toBrowserTarget);
    const list = async () => (await listUsableChannels(trx, userIds)).map(toChannelTarget);
    const isUsable = ({ provider }: MessageTarget) => dispatcher.tellsRequests(provider);
    const known = [...browsers, ...(await list())].filter(isUsable);
    const unreached = userIds.filter((id) => !known.some(({ userId }) => userId === id));
    const isAdded = await addOwnChannels(trx, unreached, wallClock.now());
    const all = isAdded ? [...browsers, ...(await list())].filter(isUsable) : known;
    return new Map([...Map.groupBy(all, ({ userId }) => userId)].map(([id, own]) => [id, withoutSpare(own)]));
  }
}

const isUnavailable = (error: unknown): boolean => error instanceof AppError && error.code === 'database_unavailable';

interface MessageTarget {
  readonly id: string;
  readonly userId: string;
  readonly provider: string;
  readonly server: string | null;
  readonly isAutomatic: boolean;
}

const toBrowserTarget = ({ id, user_id: userId, platform, push_env, token }: Device): MessageTarget => {
  const provider = providerOf(platform, push_env);
  return { id, userId, provider, server: findServer(token), isAutomatic: false };
};

const toChannelTarget = ({
  id,
  user_id: userId,
  provider,
  server,
  automatic: isAutomatic,
}: Channel): MessageTarget => ({
  id,
  userId,
  provider,
  server,
  isAutomatic,
});

/** The channel that the service made by itself is used only while nothing else can be. */
const withoutSpare = (targets: readonly MessageTarget[]): readonly MessageTarget[] => {
  const chosen = targets.filter(({ isAutomatic }) => !isAutomatic);
  return chosen.length > 0 ? chosen : targets;
};

function deliveriesFor(request: RequestToTell, targets: readonly MessageTarget[], now: Date): NewDelivery[] {
  const { message, recipientId, task } = request;
  return targets.map(({ id, provider, server }) => ({
    entry_id: message.id,
    target_id: id,
    kind: 'request',
    task_id: message.task_id,
    recipient_id: recipientId,
    run: task.run,
    nudge: task.nudge_count,
    provider,
    server,
    stage: 0,
    tier: 0,
    status: 'pending',
    waits_for: 'capacity',
    fell_because: null,
    reason: null,
    attempts: 0,
    next_attempt_at: DUE_NOW,
    created_at: now,
  }));
}

const toSent = ({ message: { task_id, recipient_id, other_id, kind } }: RequestToTell, sent_at: Date): Sent => ({
  task_id,
  recipient_id,
  other_id,
  kind,
  sent_at,
});

const toDecided = (id: string, decision: Decision, isSent: boolean, now: Date): Decided => ({
  id,
  due_at: decision.kind === 'wait' ? decision.until : null,
  sent_at: isSent ? now : null,
  settled_at: decision.kind === 'settle' ? now : null,
});

/** The next repeat comes at the start of a day of the person asked. After the last one, the asker is told. */
async function planNext(trx: Db, { message, recipient }: RequestToTell, now: Date): Promise<void> {
  const { task_id, recipient_id, other_id, kind, repeat } = message;
  if (kind === 'unanswered') announce(trx, [recipient_id]);
  if (kind !== 'asked') return;
  const about = { id: newId(), task_id, due_at: nextDayStart(now, recipient), created_at: now };
  await insertRequestMessage(
    trx,
    repeat < MOST_REPEATS
      ? { ...about, recipient_id, other_id, kind, repeat: repeat + 1 }
      : { ...about, recipient_id: other_id, other_id: recipient_id, kind: 'unanswered', repeat: 0 },
  );
}
