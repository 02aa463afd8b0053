/** Carries pushes from the service to phones and channels, and their reports back. */

import type {
  AnyPush,
  ChannelHold,
  ChannelPush,
  ChannelRelease,
  ChannelRequest,
  Push,
  PushResult,
  RequestPush,
} from '../../src/push/gateway.ts';
import { callerOf } from './actions.ts';
import { type Channel, reportLater } from './channels.ts';
import type { Wire } from './gateways.ts';
import type { Sent } from './invariant.ts';
import { findPhone, type Phone } from './phones.ts';
import type { World } from './world.ts';

const isOfChannel = (push: AnyPush): push is ChannelPush => 'channelId' in push.target;

/** To the sign-in address of its owner. It is checked by the invariant about mail alone. */
const isMail = (push: AnyPush): boolean => isOfChannel(push) && push.target.sealed === null;

function recordMail(world: World, push: AnyPush, result: PushResult): void {
  if (push.kind !== 'channel_nudge' || push.target.userId !== world.tasks.get(push.task.id)?.owner) return;
  const isRefused = result.kind === 'retry' && result.isUnsent === true;
  const { process, elapsedMs: answeredMs } = world;
  world.mails.push({
    taskId: push.task.id,
    at: push.nudgedAt.getTime(),
    stage: push.stage,
    process,
    answeredMs,
    isRefused,
  });
}

/** A nudge through a channel is checked like one to a device, with the channel as its target. */
function asPush(push: AnyPush): Push | undefined {
  if (!isOfChannel(push)) return push;
  if (push.kind !== 'channel_nudge') return undefined;
  const { task, stage, nudgedAt, expiresAt } = push;
  const target = { platform: 'web', token: push.target.channelId, environment: 'production', keys: null } as const;
  return { kind: 'nudge', target, task, stage, nudgedAt, expiresAt };
}

export function createWire(world: World): Wire {
  const sentBy = new Map<AnyPush, Sent>();
  return {
    sent: (push) => {
      if (push.kind === 'request' || push.kind === 'channel_request') return tell(world, push);
      if (isMail(push)) return;
      const seen = asPush(push);
      if (!seen) return;
      const channel = channelOf(world, push);
      const phone = channel ? undefined : findPhone(world.phones, seen.target.token);
      const refs = 'refs' in push ? push.refs : [];
      const { elapsedMs: ms, process } = world;
      const now = world.runtime.engineNow();
      const answeredMs = Number.POSITIVE_INFINITY;
      const run = seen.kind === 'nudge' ? world.nudgeLog.runOf(seen.task.id, seen.nudgedAt.getTime()) : undefined;
      const sent: Sent = { push: seen, phone, channel, run, refs, ms, now, process, answeredMs, isUndelivered: false };
      sentBy.set(push, sent);
      world.record(sent);
    },
    delivered: (push) =>
      isOfChannel(push) ? deliverToChannel(world, push, sentBy.get(push)) : deliverToPhone(world, push),
    answered: (push, result) => {
      if (isMail(push)) return recordMail(world, push, result);
      if (isOfChannel(push)) world.holder?.countSent(push.target.channelId);
      if (isAboutHeld(push)) world.holder?.answered(push, result);
      if (push.kind === 'channel_retract') forgetRefused(world, push, result);
      const sent = sentBy.get(push);
      sentBy.delete(push);
      if (!sent) return;
      sent.result = result;
      sent.answeredMs = world.elapsedMs;
    },
  };
}

function tell(world: World, push: RequestPush | ChannelRequest): void {
  const phone = isOfChannel(push) ? undefined : findPhone(world.phones, push.target.token);
  const { elapsedMs: ms } = world;
  const now = world.runtime.engineNow();
  world.recordTold({
    kind: push.news.kind,
    taskId: push.task.id,
    title: push.task.title,
    recipient: isOfChannel(push) ? push.target.userId : phone?.owner,
    platform: phone?.platform ?? null,
    ms,
    now,
  });
}

const isAboutHeld = (push: AnyPush): push is ChannelHold | ChannelRelease =>
  push.kind === 'channel_hold' || push.kind === 'channel_release';

/** If a provider refuses a retraction for good, the message stays, and the service cannot change that. */
function forgetRefused(world: World, push: ChannelPush & { refs: readonly string[] }, { kind }: PushResult): void {
  if (kind === 'rejected' || kind === 'gone') for (const ref of push.refs) channelOf(world, push)?.shown.delete(ref);
}

const channelOf = (world: World, push: AnyPush): Channel | undefined =>
  isOfChannel(push) ? world.channels.find(({ id }) => id === push.target.channelId) : undefined;

function deliverToPhone(world: World, push: Push): PushResult {
  const phone = findPhone(world.phones, push.target.token);
  phone?.receive(push, world.elapsedMs);
  if (phone && push.kind === 'activity_start') reportActivity(world, phone, push.task.id);
  return phone ? { kind: 'accepted' } : { kind: 'gone', reason: 'Unregistered' };
}

function deliverToChannel(world: World, push: ChannelPush, sent: Sent | undefined): PushResult {
  const result = takeFromChannel(world, push, sent);
  if (result.kind === 'accepted') world.holder?.count(push.target.channelId);
  return result;
}

function takeFromChannel(world: World, push: ChannelPush, sent: Sent | undefined): PushResult {
  if (push.kind === 'channel_hold') return world.holder?.take(push) ?? { kind: 'rejected', reason: 'not_held' };
  if (push.kind === 'channel_release') world.holder?.release(push);
  const channel = channelOf(world, push);
  if (!channel || !('refs' in push)) return { kind: 'accepted' };
  for (const ref of push.refs) {
    const message = channel.shown.get(ref);
    channel.shown.delete(ref);
    if (message && push.kind === 'channel_retract') world.recordTaken(message.sent);
  }
  if (push.kind === 'channel_retract' || !sent) return { kind: 'accepted' };
  world.channelMessages += 1;
  const ref = `message-${world.channelMessages}`;
  channel.shown.set(ref, { taskId: push.task.id, sent });
  reportLater(world, ref, sent);
  return { kind: 'accepted', ref };
}

/** The app reports the token of a Live Activity, and tries again while the service is down. */
function reportActivity(world: World, phone: Phone, taskId: string): void {
  const report = async () => {
    if (!phone.activities.has(taskId)) return;
    const caller = callerOf({ id: phone.owner });
    const answer = await world.call(({ activities }) => activities.report(caller, taskId, phone.activityToken(taskId)));
    if (answer === 'no answer') reportActivity(world, phone, taskId);
  };
  world.runtime.after(1_000, () => void report(), null);
}
