/**
 * The links and buttons of messages about requests: Accept and Decline, and no more messages. A link answers only the
 * request that its message was about, as it was then: once it was answered, taken back or given to somebody else, the
 * page says so and nothing changes.
 */
import type { Db } from '../db/schema.ts';
import { listRequestsToTell, type RequestToTell } from '../deliveries/requests-to-tell.ts';
import type { LinkCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { requestTitle } from '../push/request-text.ts';
import { findLinkedMessage, type LinkedMessage } from './act.store.ts';
import type { ActKey, ActTokens } from './act-token.ts';
import type { ActState, ActView, LinkAction } from './act-view.ts';
import { isAtLinkedAddress } from './linked-address.ts';

interface RequestLinkParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly tokens: ActTokens;
  /** Names a task in messages that hide its title. */
  readonly codeOf: (taskId: string) => string;
  /** The part of the tasks service that answers requests. */
  readonly tasks: { act(caller: LinkCaller, id: string, request: { name: 'accept' | 'decline' }): Promise<unknown> };
  readonly standIns: { answer(userId: string, standInId: string, answer: 'accept' | 'decline'): Promise<void> };
}

const LINK_LIFETIME_MS = 7 * 86_400_000;

/** What the page shows after an answer. */
const AFTER = {
  asked: { accept: 'accepted', decline: 'declined' },
  asked_to_stand_in: { accept: 'agreed_to_stand_in', decline: 'refused_to_stand_in' },
} as const;

/** A message about a request that a link came with. */
export interface LinkedRequest extends LinkedMessage {
  readonly request: RequestToTell;
  readonly key: ActKey;
}

export class RequestLinks {
  readonly #parts: RequestLinkParts;

  constructor(parts: RequestLinkParts) {
    this.#parts = parts;
  }

  async find(key: ActKey): Promise<LinkedRequest | undefined> {
    const message = await findLinkedMessage(this.#parts.db, key);
    if (!message || !isAtLinkedAddress(this.#parts.tokens, key, message)) return undefined;
    const request = (await listRequestsToTell(this.#parts.db, [key.entryId])).get(key.entryId);
    return request && { ...message, request, key };
  }

  look(linked: LinkedRequest, viewerId: string | undefined): ActView {
    return this.#viewOf(linked, this.#stateOf(linked), viewerId);
  }

  async act(linked: LinkedRequest, action: LinkAction, viewerId: string | undefined): Promise<ActView> {
    const state = this.#stateOf(linked);
    const isAsked = state === 'asked' || state === 'asked_to_stand_in';
    if (!isAsked || (action !== 'accept' && action !== 'decline')) return this.#viewOf(linked, state, viewerId);
    const { entry_id, target_id, provider: via, request } = linked;
    const caller: LinkCaller = { kind: 'link', userId: request.recipientId, via, link: `${entry_id} ${target_id}` };
    const { task_id: aboutId } = request.message;
    try {
      if (state === 'asked') await this.#parts.tasks.act(caller, aboutId, { name: action });
      else await this.#parts.standIns.answer(request.recipientId, aboutId, action);
    } catch (error) {
      if (!(error instanceof AppError) || (error.status !== 409 && error.code !== 'not_found')) throw error;
      return this.#viewOf(linked, 'request_gone', viewerId);
    }
    return this.#viewOf(linked, AFTER[state][action], viewerId);
  }

  /** A second press shows what the first one did. */
  #stateOf({ created_at, request }: LinkedRequest): ActState {
    const { message, task, recipient } = request;
    const isOld = this.#parts.clock.now().getTime() - created_at.getTime() > LINK_LIFETIME_MS;
    if (isOld || recipient.suspended_at !== null || recipient.deleted_at !== null) return 'expired';
    if (message.kind === 'stand_in_asked') return request.isTrue ? 'asked_to_stand_in' : 'request_gone';
    if (message.kind !== 'asked') return 'told';
    if (request.isTrue) return 'asked';
    if (task.owner_id !== message.recipient_id || task.assigner_id !== message.other_id) return 'request_gone';
    if (task.status === 'declined') return 'declined';
    return task.status === 'open' && task.accepted_by_owner ? 'accepted' : 'request_gone';
  }

  #viewOf({ key, request, private_title }: LinkedRequest, state: ActState, viewerId: string | undefined): ActView {
    const { message, task, recipientId } = request;
    const { task_id: taskId } = message;
    const title = requestTitle(message.kind, task.title);
    if (state === 'expired') return { state, title: null, taskId };
    if (viewerId === recipientId) return { state, title, taskId };
    if (private_title) return { state, title: null, code: this.#parts.codeOf(taskId), taskId };
    return { state, title: this.#parts.tokens.findShown(key, title), taskId };
  }
}
