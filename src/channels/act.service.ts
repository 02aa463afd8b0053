/**
 * The actions behind the links and buttons of a message: Done, Snooze, Seen, Undo, and no more of these messages. The
 * links of messages about requests are in `request-links.ts`.
 * Nobody signs in for them, so a link can do nothing else. It acts only on the occurrence of its nudge, and expires
 * after a week, with its channel, or with the address that its message went to. Undo takes back only what the same link
 * did. Pressing twice does nothing twice.
 * Only `act` changes something; `look` never does, because mail scanners and previews open links.
 */
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import { SWITCHED_OFF } from '../deliveries/reach.ts';
import { cancelWaitingTiers } from '../deliveries/waiting-tiers.ts';
import type { LinkCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { findLinkedNudge, findOutcome, insertEntry, type LinkedNudge, setAnswered } from './act.store.ts';
import { type ActTokens, readConfirmToken } from './act-token.ts';
import type { ActState, ActView, LinkAction } from './act-view.ts';
import { findChannel, switchOffAutomatic, updateChannel } from './channels.store.ts';
import type { ConfirmationsService } from './confirmations.service.ts';
import { isAtLinkedAddress } from './linked-address.ts';
import type { RequestLinks } from './request-links.ts';

/** The part of the tasks service that this service uses. */
interface TaskActor {
  act(
    caller: LinkCaller,
    id: string,
    request: {
      readonly name: 'complete' | 'snooze' | 'reopen';
      readonly until?: string;
      readonly occurrenceDueAt?: string | null;
    },
  ): Promise<{ readonly next_fire_at: Date | null }>;
}

/** What a stand-in does by the links of their messages. */
export interface StandInLinks {
  /** Whether the person still sees the task. */
  isShown(userId: string, taskId: string): Promise<boolean>;
  act(
    by: { readonly userId: string; readonly via: string },
    taskId: string,
    action: StandInAction,
    occurrence: Date | null,
  ): Promise<ActState>;
}

export type StandInAction = Exclude<LinkAction, 'stop' | 'confirm' | 'accept' | 'decline'>;

const LINK_LIFETIME_MS = 7 * 86_400_000;
const SNOOZE_MS = 3_600_000;

interface ActParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly tokens: ActTokens;
  readonly tasks: TaskActor;
  readonly confirmations: ConfirmationsService;
  readonly requests: RequestLinks;
  readonly standIns: StandInLinks;
  /** Names a task in messages that hide its title. */
  readonly codeOf: (taskId: string) => string;
  /** Throws if a link is used too often. */
  readonly limitActs: (link: string) => Promise<void>;
}

export class ActService {
  readonly #parts: ActParts;

  constructor(parts: ActParts) {
    this.#parts = parts;
  }

  /** `viewerId` is the account that the visitor is signed in to, if any. It decides what is shown, and nothing else. */
  async look(token: string, viewerId?: string): Promise<ActView> {
    if (readConfirmToken(token)) return { state: 'to_confirm', title: null };
    const nudge = await this.#findNudge(token);
    if (!nudge) return this.#lookAtRequest(token, viewerId);
    const state = this.#isExpired(nudge) ? 'expired' : 'ready';
    return isToStandIn(nudge) ? this.#viewOfStandIn(nudge, state, viewerId) : this.#viewOf(nudge, state, viewerId);
  }

  async act(token: string, action: LinkAction, viewerId?: string): Promise<ActView> {
    const confirm = readConfirmToken(token);
    if (confirm) return action === 'confirm' ? this.#confirm(confirm) : { state: 'to_confirm', title: null };
    const nudge = await this.#findNudge(token);
    if (!nudge) return this.#actOnRequest(token, action, viewerId);
    if (action === 'confirm' || action === 'accept' || action === 'decline') return this.look(token, viewerId);
    // By nudge and channel: a retry after a rename sends another token for the same link.
    await this.#parts.limitActs(`${nudge.entry_id} ${nudge.target_id}`);
    // Unsubscribing works for as long as the delivery is kept.
    if (action === 'stop') return this.#stop({ ...nudge, owner_id: nudge.recipient_id });
    if (isToStandIn(nudge)) return this.#actAsStandIn(nudge, action, viewerId);
    if (action === 'leave') return this.look(token, viewerId);
    const state = this.#isExpired(nudge) ? 'expired' : await this.#change(nudge, action);
    return this.#viewOf(nudge, state, viewerId);
  }

  /** Once the person stands in no more, or the task went on without them, the page says only that it is over. */
  async #viewOfStandIn(nudge: ShownNudge, state: ActState, viewerId: string | undefined): Promise<ActView> {
    const { owner_id, recipient_id, task_id } = nudge;
    // Both end what the person was shown, by their own press.
    const isOwnEnd = state === 'left' || state === 'undone';
    const isShown = isOwnEnd || (await this.#parts.standIns.isShown(recipient_id, task_id));
    if (!isShown) return { state: 'expired', title: null };
    const { taskId: _, ...view } = this.#viewOf({ ...nudge, owner_id: recipient_id }, state, viewerId);
    return { ...view, standsInFor: owner_id };
  }

  async #actAsStandIn(nudge: ShownNudge, action: StandInAction, viewerId: string | undefined): Promise<ActView> {
    const { recipient_id: userId, task_id, provider: via, occurrence_due_at: occurrence } = nudge;
    if (this.#isExpired(nudge)) return this.#viewOfStandIn(nudge, 'expired', viewerId);
    let state: ActState;
    try {
      state = await this.#parts.standIns.act({ userId, via }, task_id, action, occurrence);
    } catch (error) {
      if (!(error instanceof AppError) || (error.status !== 409 && error.code !== 'not_found')) throw error;
      state = error.code === 'not_found' ? 'expired' : action === 'undo' ? 'too_late_to_undo' : 'passed';
    }
    return this.#viewOfStandIn(nudge, state, viewerId);
  }

  async #lookAtRequest(token: string, viewerId: string | undefined): Promise<ActView> {
    const key = this.#parts.tokens.read(token);
    const linked = key && (await this.#parts.requests.find(key));
    return linked ? this.#parts.requests.look(linked, viewerId) : { state: key ? 'expired' : 'unknown', title: null };
  }

  async #actOnRequest(token: string, action: LinkAction, viewerId: string | undefined): Promise<ActView> {
    const key = this.#parts.tokens.read(token);
    const linked = key && (await this.#parts.requests.find(key));
    if (!linked) return { state: key ? 'expired' : 'unknown', title: null };
    await this.#parts.limitActs(`${linked.entry_id} ${linked.target_id}`);
    return action === 'stop' ? this.#stop(linked) : this.#parts.requests.act(linked, action, viewerId);
  }

  async #confirm({ channelId, code }: { channelId: string; code: string }): Promise<ActView> {
    const channel = await findChannel(this.#parts.db, channelId);
    if (!channel) return { state: 'wrong_code', title: null };
    // A second press of the same button.
    if (channel.verified_at !== null) return { state: 'confirmed', title: null };
    // Counted per channel: anyone can make up codes, and each code would get a counter of its own.
    await this.#parts.limitActs(channelId);
    try {
      await this.#parts.confirmations.enterCode(channelId, code);
      return { state: 'confirmed', title: null };
    } catch (error) {
      if (error instanceof AppError && error.code === 'wrong_channel_code') return { state: 'wrong_code', title: null };
      throw error;
    }
  }

  async #change(nudge: LinkedNudge, action: Exclude<StandInAction, 'leave'>): Promise<ActState> {
    if (action === 'seen') {
      await this.#acknowledge(nudge, true);
      return 'seen';
    }
    const { entry_id, target_id, task_id, owner_id, provider: via, occurrence_due_at } = nudge;
    const { tasks, clock } = this.#parts;
    const caller: LinkCaller = { kind: 'link', userId: owner_id, via, link: `${entry_id} ${target_id}` };
    const until = new Date(clock.now().getTime() + SNOOZE_MS);
    const request = action === 'snooze' ? { name: action, until: until.toISOString() } : { name: REQUESTED[action] };
    let next: Date | null;
    try {
      const occurrenceDueAt = occurrence_due_at?.toISOString() ?? null;
      next = (await tasks.act(caller, task_id, { ...request, occurrenceDueAt })).next_fire_at;
    } catch (error) {
      return this.#toState(error, nudge, action);
    }
    await this.#acknowledge(nudge, false);
    return action === 'snooze' && next !== null && next > until ? 'snoozed_held' : STATE_AFTER[action];
  }

  async #toState(error: unknown, nudge: LinkedNudge, action: LinkAction): Promise<ActState> {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'not_found') return 'expired';
    if (error.status !== 409) throw error;
    if (action === 'undo') return 'too_late_to_undo';
    // The first press moved a repeating task on. The second press shows the same result.
    const outcome = await findOutcome(this.#parts.db, nudge.task_id, nudge.occurrence_due_at);
    return action === 'done' && outcome === 'done' ? 'done' : 'passed';
  }

  /** The person was reached, so the nudge falls to no further tier. */
  async #acknowledge(nudge: LinkedNudge, isRecorded: boolean): Promise<void> {
    const { task_id, owner_id, run, nudge: number, stage, provider: via, occurrence_due_at } = nudge;
    const at = this.#parts.clock.now();
    await transact(this.#parts.db, async (trx) => {
      if (!(await setAnswered(trx, nudge, 'acked_at', at))) return;
      await cancelWaitingTiers(trx, nudge);
      if (!isRecorded) return;
      const about = { id: newId(), task_id, owner_id, run, nudge: number, stage, occurrence_due_at, at, via };
      await insertEntry(trx, { ...about, kind: 'acknowledged', by: 'owner' });
    });
  }

  async #stop(nudge: Pick<LinkedNudge, 'target_id' | 'owner_id' | 'provider'>): Promise<ActView> {
    const off = { valid: false, invalid_reason: SWITCHED_OFF, automatic: false };
    await updateChannel(this.#parts.db, nudge.target_id, off);
    // No more mail means none at the sign-in address either.
    await switchOffAutomatic(this.#parts.db, nudge.owner_id, nudge.provider, off);
    return { state: 'stopped', title: null };
  }

  async #findNudge(token: string): Promise<ShownNudge | undefined> {
    const { tokens, db } = this.#parts;
    const key = tokens.read(token);
    const nudge = key && (await findLinkedNudge(db, key));
    if (!nudge || !isAtLinkedAddress(tokens, key, nudge)) return undefined;
    return { ...nudge, shownTitle: tokens.findShown(key, nudge.title) };
  }

  /** If the message hid the title, or showed another one, its link hides it too: others may read that message. */
  #viewOf(nudge: ShownNudge, state: ActState, viewerId: string | undefined): ActView {
    const { task_id: taskId, owner_id, title, shownTitle, private_title, suspended_at } = nudge;
    if (suspended_at !== null) return { state, title: null, taskId };
    if (viewerId === owner_id) return { state, title, taskId };
    return private_title
      ? { state, title: null, code: this.#parts.codeOf(taskId), taskId }
      : { state, title: shownTitle, taskId };
  }

  /** The links of a suspended account work again once it is lifted, within their week. */
  #isExpired({ at, suspended_at }: LinkedNudge): boolean {
    return suspended_at !== null || this.#parts.clock.now().getTime() - at.getTime() > LINK_LIFETIME_MS;
  }
}

const REQUESTED = { done: 'complete', undo: 'reopen' } as const;
const STATE_AFTER = { done: 'done', snooze: 'snoozed', undo: 'undone' } as const;

type ShownNudge = LinkedNudge & { readonly shownTitle: string | null };

const isToStandIn = ({ owner_id, recipient_id }: LinkedNudge): boolean => owner_id !== recipient_id;
