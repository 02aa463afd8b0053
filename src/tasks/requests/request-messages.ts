/**
 * Decides which messages about requests are sent, and when. Pure.
 *
 * Such a message is no nudge: it has no stage and no tier, and never climbs. Only requests in a space are told, and only
 * to people whom neither quiet hours nor a pause, the switch, the suspension or the bound of the day holds back. Who is
 * asked gets one message and at most three repeats, one a day; then the asker is told once.
 *
 *   asked ──▶ repeat 1 ──▶ repeat 2 ──▶ repeat 3 ──▶ unanswered (to the asker)
 *     └────────────┴────────────┴────────────┴── accept, decline, done ──▶ one message to the asker
 */
import type { Selectable } from 'kysely';
import type { Database } from '../../db/schema.ts';
import type { RequestMessageKind } from '../../db/tables/tasks.ts';
import { releaseFrom } from '../../escalation/holds.ts';
import type { PlanSettings } from '../../escalation/plan-settings.ts';
import type { Action, Task } from '../task-state.ts';
import type { Relation } from '../visibility.ts';

export const MOST_REPEATS = 3;
/** How many messages about requests a person gets on a calendar day. */
const MOST_A_DAY = 10;
/** What one person can use of them while the recipient shares spaces with others too, so that these are heard as well. */
const SHARE_OF_ONE = 7;
/** A hold may end early because a person changes a setting. This is how soon that is noticed. */
const CHECK_HOLD_MS = 15 * 60_000;

type Message = Selectable<Database['request_messages']>;
type RequestFields = Pick<Task, 'status' | 'accepted_by_owner' | 'assigner_id' | 'owner_id' | 'space_id'>;
export type NewsKind = Extract<RequestMessageKind, 'accepted' | 'declined' | 'done'>;

/** A request that its owner is told of: it waits for an answer, and comes from a space that both are in. */
export const isTold = ({ status, accepted_by_owner, assigner_id, space_id }: RequestFields): boolean =>
  status === 'open' && !accepted_by_owner && assigner_id !== null && space_id !== null;

/** What the person who asked is told after a change that the owner made; undefined for nothing. */
export function findNews(
  { assigner_id, space_id }: RequestFields,
  action: Action['name'] | 'edit',
  by: Relation,
): NewsKind | undefined {
  if (by !== 'owner' || assigner_id === null || space_id === null) return undefined;
  if (action === 'complete') return 'done';
  if (action === 'decline') return 'declined';
  return action === 'accept' ? 'accepted' : undefined;
}

/** What decides whether a message may be sent. */
export interface Facts {
  readonly message: Pick<
    Message,
    'id' | 'kind' | 'repeat' | 'recipient_id' | 'other_id' | 'settled_at' | 'created_at'
  > & {
    /** The task, or the stand-in that the message is about. */
    readonly task_id: string;
  };
  readonly task: RequestFields;
  readonly recipient: PlanSettings & { readonly hears_requests: boolean; readonly deleted_at: Date | null };
  readonly other: { readonly suspended_at: Date | null; readonly deleted_at: Date | null };
  /** Whether both are in the space of the task. */
  readonly areMembers: boolean;
  /** Of `stand_in_done`: whether the recipient is the owner, or a stand-in whom the task had reached. */
  readonly isReached: boolean;
}

/** A message about a request with everything that its text and its decision need. */
export interface RequestToTell extends Facts {
  readonly id: string;
  readonly recipientId: string;
  readonly task: RequestFields & Pick<Task, 'run' | 'nudge_count' | 'title' | 'has_time' | 'due_at' | 'due_written'>;
  readonly other: Facts['other'] & { readonly display_name: string | null };
  readonly spaceName: string | null;
  /** Whether what the message says is still so. */
  readonly isTrue: boolean;
}

/** Whether what the message says is still so. */
export function isTrue({ message, task, recipient, other, areMembers, isReached }: Facts): boolean {
  const { kind, recipient_id, other_id, settled_at } = message;
  if (settled_at !== null || recipient.deleted_at !== null || other.deleted_at !== null) return false;
  if (kind === 'stand_in_done') return isReached;
  if (!areMembers) return false;
  const [owner, assigner] = kind === 'asked' ? [recipient_id, other_id] : [other_id, recipient_id];
  if (task.owner_id !== owner || task.assigner_id !== assigner) return false;
  if (kind === 'asked' || kind === 'unanswered') return isTold(task);
  return kind === 'declined' ? task.status === 'declined' : task.accepted_by_owner;
}

/** Whether the recipient wants such messages, and nobody of the two is suspended. */
export const isWanted = ({ recipient, other }: Facts): boolean =>
  recipient.hears_requests && recipient.suspended_at === null && other.suspended_at === null;

const isNewsOfStandIn = (kind: RequestMessageKind): boolean => kind === 'stand_in_done';

/** Who settled a task is shown for a day, and told for as long. */
const NEWS_LAST_MS = 86_400_000;

export const isOldNews = ({ kind, created_at }: Pick<Message, 'kind' | 'created_at'>, now: Date): boolean =>
  isNewsOfStandIn(kind) && now.getTime() - created_at.getTime() >= NEWS_LAST_MS;

/** A message that was sent lately. */
export type Sent = Pick<Message, 'task_id' | 'recipient_id' | 'other_id' | 'kind'> & { readonly sent_at: Date };

export type Decision =
  | { readonly kind: 'send' }
  /** Not sent, and not later: the next repeat comes on its day. */
  | { readonly kind: 'pass' }
  /** Not true any more. */
  | { readonly kind: 'settle' }
  | { readonly kind: 'wait'; readonly until: Date };

/** `sent` are the recipient's messages of the last days, and `hasOthers` says that they share spaces with several people. */
export function decide(
  facts: Facts & { readonly isTrue: boolean },
  sent: readonly Sent[],
  hasOthers: boolean,
  now: Date,
): Decision {
  const { message, recipient } = facts;
  if (!facts.isTrue || isOldNews(message, now)) return { kind: 'settle' };
  const { at } = releaseFrom(now, false, recipient);
  if (at > now) return { kind: 'wait', until: new Date(Math.min(at.getTime(), now.getTime() + CHECK_HOLD_MS)) };
  const today = sent.filter(({ sent_at }) => isSameDay(sent_at, now, recipient.timezone));
  const isOfSame = ({ task_id, kind }: Sent) => task_id === message.task_id && kind === 'asked';
  if (message.kind === 'asked' && today.some(isOfSame)) return { kind: 'wait', until: nextDayStart(now, recipient) };
  // News of what stand-ins did have a bound of their own, so that they keep no request from being heard.
  const counted = today.filter(({ kind }) => isNewsOfStandIn(kind) === isNewsOfStandIn(message.kind));
  const ofOther = counted.filter(({ other_id }) => other_id === message.other_id);
  const isFull = counted.length >= MOST_A_DAY || (hasOthers && ofOther.length >= SHARE_OF_ONE);
  return { kind: isFull || !isWanted(facts) ? 'pass' : 'send' };
}

/** The first start of a day that holds release on a later calendar day than `now`. */
export function nextDayStart(now: Date, settings: PlanSettings): Date {
  const { timezone, day_start } = settings;
  const today = toLocal(now, timezone).toPlainDate();
  for (let days = 0; ; days += 1) {
    const date = today.add({ days });
    const at = date.toZonedDateTime({ timeZone: timezone, plainTime: Temporal.PlainTime.from(day_start) });
    const start = new Date(at.epochMilliseconds);
    if (start > now && !isSameDay(releaseFrom(start, false, settings).at, now, timezone)) return start;
  }
}

const isSameDay = (a: Date, b: Date, timezone: string): boolean =>
  toLocal(a, timezone).toPlainDate().equals(toLocal(b, timezone).toPlainDate());

const toLocal = (instant: Date, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timezone);
