/**
 * Decides which channels reach a person at a stage, and if nothing does, why. Pure.
 *
 * The engine plans by it (`plan-channels.ts`), and whoever tells a person about a coming nudge asks it too, so that what
 * is said is what is sent. A channel that the service made by itself is used only while nothing else can be. A last
 * resort, such as text messages at stage 2, leaves it in place: otherwise adding one would silence the gentler nudges.
 */
import { includesStage, STAGES } from '../escalation/ladder.ts';
import type { MessageLimits, Provider } from '../push/gateway.ts';

/** Why a channel gets no message although it could be sent to. */
type Stop =
  /** The provider's limit of messages about one task in a day. */
  | 'enough_today'
  /** Its owner has not opened the app for so long that no mail is sent. */
  | 'mail_paused';

/** Why nothing is ever sent to a channel. */
export type ChannelFault =
  /** Its owner has not shown yet that it is theirs. */
  | 'not_confirmed'
  /** The address is dead, or was refused too often. */
  | 'not_working'
  | 'switched_off';

export type Unreachable =
  | Stop
  | ChannelFault
  | 'nothing_set_up'
  /** Something works, and its owner chose other stages for it. */
  | 'other_stages'
  /** The operator has not configured, or no longer configures, what it needs. */
  | 'not_configured';

/** The reason that is easiest to act on: one that a click can fix comes first. */
const ORDER: readonly Unreachable[] = [
  'enough_today',
  'mail_paused',
  'other_stages',
  'not_confirmed',
  'switched_off',
  'not_working',
  'not_configured',
];

export interface ReachChannel {
  readonly id: string;
  readonly provider: Provider;
  /** As bits. */
  readonly stages: number;
  readonly tier: number;
  readonly automatic: boolean;
  /** When a message said that it was the last. */
  readonly last_mail_at: Date | null;
  /** Absent if it can be used. */
  readonly fault?: ChannelFault | null;
}

/** What limits the messages about a task. */
export interface Bounds {
  readonly limitsOf: (provider: Provider) => MessageLimits | undefined;
  /** When the owner last opened the app; null if that is unknown, undefined if no channel has limits. */
  readonly lastSeenAt: Date | null | undefined;
  /** How many messages the channel got about the task in the last 24 hours. */
  readonly sentToday: (channelId: string) => number;
  /** Real time. */
  readonly wallNow: Date;
}

export interface ReachSituation {
  readonly stage: number;
  /** Whether the run has had a due nudge already. */
  readonly isRepeat: boolean;
  /** Whether the owner has a device that can be sent to. */
  readonly hasDevice: boolean;
  readonly bounds: Bounds;
  readonly isConfigured: (provider: Provider) => boolean;
}

export interface Reach<C> {
  /** The channels for this nudge. One that is not configured is among them, and gets nothing. */
  readonly channels: readonly C[];
  /** Null if a device or a channel gets the nudge. */
  readonly reason: Unreachable | null;
}

interface StoredChannel {
  readonly stages: number;
  readonly verified_at: Date | null;
  readonly valid: boolean;
  readonly invalid_reason: string | null;
}

export const SWITCHED_OFF = 'switched_off';

export const isOff = ({ invalid_reason, stages }: Pick<StoredChannel, 'invalid_reason' | 'stages'>): boolean =>
  invalid_reason === SWITCHED_OFF || stages === 0;

export function findFault(channel: StoredChannel): ChannelFault | null {
  if (isOff(channel)) return SWITCHED_OFF;
  if (channel.verified_at === null) return 'not_confirmed';
  return channel.valid ? null : 'not_working';
}

export function findReach<C extends ReachChannel>(all: readonly C[], situation: ReachSituation): Reach<C> {
  const { hasDevice, isConfigured } = situation;
  const isOther = (channel: C) =>
    !channel.automatic && !channel.fault && !isLastResort(channel) && isConfigured(channel.provider);
  const hasOther = hasDevice || all.some(isOther);
  const wanted = all.filter(({ automatic }) => !(automatic && hasOther));
  const obstacles = new Map(wanted.map((channel) => [channel, findObstacle(channel, situation)]));
  const channels = wanted.filter((channel) => obstacles.get(channel) === null);
  if (hasDevice || channels.some(({ provider }) => isConfigured(provider))) return { channels, reason: null };
  const reasons = [...obstacles.values()].map((obstacle) => obstacle ?? 'not_configured');
  return { channels, reason: ORDER.find((reason) => reasons.includes(reason)) ?? 'nothing_set_up' };
}

const isLastResort = ({ tier, stages }: ReachChannel): boolean => tier > 0 && !includesStage(stages, 0);

function findObstacle(channel: ReachChannel, { stage, isRepeat, bounds }: ReachSituation): Unreachable | null {
  if (channel.fault) return channel.fault;
  if (!includesStage(channel.stages, stage)) return 'other_stages';
  return findStop(channel, bounds, isRepeat);
}

function findStop(channel: ReachChannel, bounds: Bounds, isRepeat: boolean): Stop | null {
  const limits = bounds.limitsOf(channel.provider);
  if (!limits) return null;
  const most = isRepeat ? limits.repeatsUpToPerDay : limits.mostPerDay;
  if (bounds.sentToday(channel.id) >= most) return 'enough_today';
  return isOwnerIdle(channel, bounds) && isTold(channel, bounds.lastSeenAt ?? null) ? 'mail_paused' : null;
}

export interface ReachByStage {
  /** Whether something reaches the person at one stage or more; if not, why. */
  readonly reachable: boolean;
  readonly reason: Unreachable | null;
  readonly unreachedStages: readonly number[];
}

/**
 * For a task that nothing was sent about yet. An idle owner counts as told already: one more message would come, and
 * none after it.
 */
export function findReachByStage(
  channels: readonly ReachChannel[],
  person: Omit<ReachSituation, 'stage' | 'isRepeat'>,
): ReachByStage {
  const told = channels.map((channel) => ({ ...channel, last_mail_at: person.bounds.wallNow }));
  const reasons = STAGES.map((stage) => findReach(told, { ...person, stage, isRepeat: false }).reason);
  const unreachedStages = STAGES.filter((_stage, index) => reasons[index] !== null);
  if (reasons.includes(null)) return { reachable: true, reason: null, unreachedStages };
  // A channel that has stages at all has a better reason at one of them.
  const reason = reasons.find((one) => one !== 'other_stages') ?? 'nothing_set_up';
  return { reachable: false, reason, unreachedStages };
}

export function isOwnerIdle({ provider }: ReachChannel, { limitsOf, lastSeenAt, wallNow }: Bounds): boolean {
  const limits = limitsOf(provider);
  return limits !== undefined && lastSeenAt !== undefined && isIdle(lastSeenAt, limits, wallNow);
}

export const isIdle = (lastSeenAt: Date | null, { stopsAfterIdleMs }: MessageLimits, now: Date): boolean =>
  now.getTime() - (lastSeenAt?.getTime() ?? 0) >= stopsAfterIdleMs;

/** Whether a message has said that it was the last since the owner was last seen. */
export const isTold = ({ last_mail_at }: Pick<ReachChannel, 'last_mail_at'>, lastSeenAt: Date | null): boolean =>
  last_mail_at !== null && (lastSeenAt === null || last_mail_at >= lastSeenAt);
