/**
 * Which channels get a nudge, and when each tier of them does. Pure.
 *
 * What the service made by itself is used only while nothing else can be. A target that cannot be sent to makes no tier
 * wait for it, and nothing falls back from a heads-up: nothing is due yet.
 */
import { type FallbackPlan, type FallbackState, planTiers } from '../escalation/fallback.ts';
import { HEADS_UP_STAGE, includesStage } from '../escalation/ladder.ts';
import type { Provider } from '../push/gateway.ts';

export const MAIL = 'email';
/** Of this stage, a mailbox gets few mails about a task in a day. */
export const LIMITED_MAIL_STAGE = 2;

interface PlannedChannel {
  readonly id: string;
  readonly provider: Provider;
  readonly stages: number;
  readonly tier: number;
  readonly automatic: boolean;
  /** When a mail said that it was the last. */
  readonly last_mail_at: Date | null;
}

/** What bounds the mails about a task. */
export interface MailLimits {
  /** When the owner last opened the app, if that is so long ago that no mail is sent; null if it was before we know. */
  readonly idleSince: Date | null | undefined;
  /** Enough mails of the last stage were written about the task today. */
  readonly isMailedOut: boolean;
}

interface Situation {
  readonly stage: number;
  /** Whether the owner has a device that can be sent to. */
  readonly hasDevice: boolean;
  readonly mail: MailLimits;
  readonly fallback: FallbackState;
  readonly fallbackMinutes: number;
  readonly isConfigured: (provider: Provider) => boolean;
  readonly now: Date;
}

export interface ChannelPlan<C> {
  readonly channel: C;
  /** Undefined if the channel cannot be sent to. */
  readonly plan: FallbackPlan | undefined;
  /** An idle owner gets one more mail, which says that it is the last. */
  readonly isLastMail: boolean;
}

export function planChannels<C extends PlannedChannel>(all: readonly C[], situation: Situation): ChannelPlan<C>[] {
  const { stage, hasDevice, fallback, fallbackMinutes, isConfigured, now } = situation;
  const used = usedChannels(all, situation);
  const ofChannels = used.filter(({ provider }) => isConfigured(provider)).map(({ tier }) => tier);
  const plans = planTiers(hasDevice ? [0, ...ofChannels] : ofChannels, fallback, fallbackMinutes, now);
  const byTier = new Map(plans.map((plan) => [plan.tier, plan]));
  const lowest = plans[0]?.tier ?? 0;
  return used
    .filter(({ tier }) => stage !== HEADS_UP_STAGE || tier === lowest)
    .map((channel) => ({
      channel,
      plan: byTier.get(channel.tier),
      isLastMail: channel.provider === MAIL && situation.mail.idleSince !== undefined,
    }));
}

function usedChannels<C extends PlannedChannel>(
  channels: readonly C[],
  { stage, hasDevice, mail, isConfigured }: Situation,
): C[] {
  const hasOther = hasDevice || channels.some(({ automatic, provider }) => !automatic && isConfigured(provider));
  return channels.filter(
    (channel) =>
      includesStage(channel.stages, stage) &&
      !(channel.automatic && hasOther) &&
      !(channel.provider === MAIL && isMailStopped(channel, mail, stage)),
  );
}

/** Enough was written today, or the owner is idle and was told. */
function isMailStopped({ last_mail_at }: PlannedChannel, { idleSince, isMailedOut }: MailLimits, stage: number) {
  if (isMailedOut && stage === LIMITED_MAIL_STAGE) return true;
  return idleSince !== undefined && isTold({ last_mail_at }, idleSince);
}

/** Whether a mail has said that it was the last since the owner was last seen. */
export const isTold = ({ last_mail_at }: Pick<PlannedChannel, 'last_mail_at'>, idleSince: Date | null): boolean =>
  last_mail_at !== null && (idleSince === null || last_mail_at >= idleSince);
