/**
 * The actions behind the links and buttons of a message: Done, Snooze, Seen, Undo, and no more of these messages.
 * Nobody signs in for them, so a link can do nothing else. It acts only on the occurrence of its nudge, and expires
 * after a week or with its channel. Undo takes back only what the same link did. Pressing twice does nothing twice.
 * Only `act` changes something; `look` never does, because mail scanners and previews open links.
 */
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import { cancelWaitingTiers } from '../deliveries/waiting-tiers.ts';
import type { LinkCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { findLinkedNudge, findOutcome, insertEntry, type LinkedNudge, setAnswered } from './act.store.ts';
import { type ActTokens, readConfirmToken } from './act-token.ts';
import { SWITCHED_OFF } from './channel-columns.ts';
import { findChannel, switchOffAutomatic, updateChannel } from './channels.store.ts';
import type { ConfirmationsService } from './confirmations.service.ts';

export const LINK_ACTIONS = ['done', 'snooze', 'seen', 'undo', 'stop', 'confirm'] as const;
export type LinkAction = (typeof LINK_ACTIONS)[number];

/** What the page shows. */
export type ActState =
  /** The buttons. */
  | 'ready'
  | 'done'
  | 'snoozed'
  | 'seen'
  | 'undone'
  | 'stopped'
  /** The occurrence was dealt with in another way, or the task has moved on. */
  | 'passed'
  | 'too_late_to_undo'
  | 'expired'
  | 'unknown'
  | 'to_confirm'
  | 'confirmed'
  | 'wrong_code';

export interface ActView {
  readonly state: ActState;
  /** What the message of the link showed; null if it hid the title, or the task has another one by now. */
  readonly title: string | null;
  /** For the way into the app, where the owner sees the task as it is now. */
  readonly taskId?: string;
}

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
  ): Promise<unknown>;
}

const LINK_LIFETIME_MS = 7 * 86_400_000;
const SNOOZE_MS = 3_600_000;

interface ActParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly tokens: ActTokens;
  readonly tasks: TaskActor;
  readonly confirmations: ConfirmationsService;
  /** Throws if a link is used too often. */
  readonly limitActs: (link: string) => Promise<void>;
}

export class ActService {
  readonly #parts: ActParts;

  constructor(parts: ActParts) {
    this.#parts = parts;
  }

  async look(token: string): Promise<ActView> {
    if (readConfirmToken(token)) return { state: 'to_confirm', title: null };
    const nudge = await this.#findNudge(token);
    if (!nudge) return { state: this.#isOurs(token) ? 'expired' : 'unknown', title: null };
    return viewOf(nudge, this.#isExpired(nudge) ? 'expired' : 'ready');
  }

  async act(token: string, action: LinkAction): Promise<ActView> {
    const confirm = readConfirmToken(token);
    if (confirm) return action === 'confirm' ? this.#confirm(confirm) : { state: 'to_confirm', title: null };
    const nudge = await this.#findNudge(token);
    if (!nudge || action === 'confirm') return this.look(token);
    // By nudge and channel: a retry after a rename sends another token for the same link.
    await this.#parts.limitActs(`${nudge.entry_id} ${nudge.target_id}`);
    // Unsubscribing works for as long as the delivery is kept.
    if (action === 'stop') return this.#stop(nudge);
    if (this.#isExpired(nudge)) return viewOf(nudge, 'expired');
    return viewOf(nudge, await this.#change(nudge, action));
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

  async #change(nudge: LinkedNudge, action: Exclude<LinkAction, 'stop' | 'confirm'>): Promise<ActState> {
    if (action === 'seen') {
      await this.#acknowledge(nudge, true);
      return 'seen';
    }
    const { entry_id, target_id, task_id, owner_id, provider: via, occurrence_due_at } = nudge;
    const { tasks, clock } = this.#parts;
    const caller: LinkCaller = { kind: 'link', userId: owner_id, via, link: `${entry_id} ${target_id}` };
    const until = new Date(clock.now().getTime() + SNOOZE_MS).toISOString();
    const request = action === 'snooze' ? { name: action, until } : { name: REQUESTED[action] };
    try {
      await tasks.act(caller, task_id, { ...request, occurrenceDueAt: occurrence_due_at?.toISOString() ?? null });
    } catch (error) {
      return this.#toState(error, nudge, action);
    }
    await this.#acknowledge(nudge, false);
    return STATE_AFTER[action];
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

  async #stop(nudge: LinkedNudge): Promise<ActView> {
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
    return nudge && { ...nudge, shownTitle: tokens.findShown(key, nudge.title) };
  }

  #isOurs(token: string): boolean {
    return this.#parts.tokens.read(token) !== undefined;
  }

  /** The links of a suspended account work again once it is lifted, within their week. */
  #isExpired({ at, suspended_at }: LinkedNudge): boolean {
    return suspended_at !== null || this.#parts.clock.now().getTime() - at.getTime() > LINK_LIFETIME_MS;
  }
}

const REQUESTED = { done: 'complete', undo: 'reopen' } as const;
const STATE_AFTER = { done: 'done', snooze: 'snoozed', undo: 'undone' } as const;

type ShownNudge = LinkedNudge & { readonly shownTitle: string | null };

/** If the message hid the title, or showed another one, its link hides it too: others may read that message. */
function viewOf({ task_id, shownTitle, private_title, suspended_at }: ShownNudge, state: ActState): ActView {
  const isHidden = private_title || suspended_at !== null;
  return { state, title: isHidden ? null : shownTitle, taskId: task_id };
}
