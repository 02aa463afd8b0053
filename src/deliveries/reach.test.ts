import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { STAGES, toStageBits } from '../escalation/ladder.ts';
import { planChannels } from './plan-channels.ts';
import {
  findFault,
  findReach,
  findReachByStage,
  isIdle,
  isOff,
  isOwnerIdle,
  isTold,
  type ReachChannel,
  SWITCHED_OFF,
} from './reach.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const DAY_MS = 86_400_000;
const MAIL = 'email';
const OFFERED = [MAIL, 'ntfy', 'sms'];
const LIMITS = { mostPerDay: 24, repeatsUpToPerDay: 8, stopsAfterIdleMs: 14 * DAY_MS };
const ALL = toStageBits(STAGES);

const channel = (changes: Partial<ReachChannel> = {}): ReachChannel => ({
  id: 'a',
  provider: 'ntfy',
  stages: ALL,
  tier: 0,
  automatic: false,
  last_mail_at: null,
  fault: null,
  ...changes,
});

const person = ({ seenDaysAgo = 0, sent = 0, hasDevice = false } = {}) => ({
  hasDevice,
  isConfigured: (provider: string) => OFFERED.includes(provider),
  bounds: {
    limitsOf: (provider: string) => (provider === MAIL ? LIMITS : undefined),
    lastSeenAt: new Date(NOW.getTime() - seenDaysAgo * DAY_MS),
    sentToday: () => sent,
    wallNow: NOW,
  },
});

const reasonAt = (stage: number, channels: readonly ReachChannel[], given = {}, isRepeat = false) =>
  findReach(channels, { ...person(given), stage, isRepeat }).reason;

test('a person learns the obstacle that is easiest to remove, and at which stages nothing reaches them', () => {
  const dead = channel({ fault: 'not_working' });
  const off = channel({ fault: 'switched_off' });
  const mail = channel({ provider: MAIL });
  const idle = person({ seenDaysAgo: 14 });
  const told = (channels: readonly ReachChannel[], given = person()) => {
    const { reachable, reason, unreachedStages } = findReachByStage(channels, given);
    return [reachable, reason, unreachedStages];
  };
  assert.deepEqual(told([]), [false, 'nothing_set_up', [-1, 0, 1, 2]]);
  assert.deepEqual(told([], person({ hasDevice: true })), [true, null, []]);
  assert.deepEqual(told([mail, dead, channel()], idle), [true, null, []]);
  assert.deepEqual(told([dead, mail], idle), [false, 'mail_paused', [-1, 0, 1, 2]]);
  assert.deepEqual(told([dead, off]), [false, 'switched_off', [-1, 0, 1, 2]]);
  assert.deepEqual(told([channel({ provider: 'telegram' })]), [false, 'not_configured', [-1, 0, 1, 2]]);
  assert.deepEqual(told([dead, channel({ stages: toStageBits([1, 2]) })]), [true, null, [-1, 0]]);
  const gentle = channel({ provider: 'telegram', stages: toStageBits([1]) });
  assert.deepEqual(told([gentle]), [false, 'not_configured', [-1, 0, 1, 2]], 'a stage that it has says more');
  assert.deepEqual(told([channel({ stages: 0 })]), [false, 'nothing_set_up', [-1, 0, 1, 2]]);
});

test('of two obstacles the one is told that is easier to remove', () => {
  const mail = channel({ provider: MAIL });
  const obstacles: readonly [reason: string, channel: ReachChannel, given?: object][] = [
    ['enough_today', mail, { sent: 24 }],
    ['mail_paused', { ...mail, last_mail_at: NOW }, { seenDaysAgo: 14 }],
    ['other_stages', channel({ stages: toStageBits([2]) })],
    ['not_confirmed', channel({ fault: 'not_confirmed' })],
    ['switched_off', channel({ fault: 'switched_off' })],
    ['not_working', channel({ fault: 'not_working' })],
    ['not_configured', channel({ provider: 'telegram' })],
  ];
  for (const [index, [reason, one, given]] of obstacles.entries()) {
    assert.equal(reasonAt(0, [one], given), reason);
    for (const [, other] of obstacles.slice(Math.max(index + 1, 2)))
      assert.equal(reasonAt(0, [other, one], given), reason);
  }
});

test('a channel is switched off by its owner or without a stage, and only then confirmed and working', () => {
  const stored = { stages: ALL, verified_at: NOW, valid: true, invalid_reason: null };
  const off = { ...stored, invalid_reason: SWITCHED_OFF };
  assert.deepEqual([stored, off, { ...stored, stages: 0 }].map(isOff), [false, true, true]);
  assert.equal(findFault(stored), null);
  assert.equal(findFault({ ...off, verified_at: null, valid: false }), 'switched_off');
  assert.equal(findFault({ ...stored, verified_at: null, valid: false }), 'not_confirmed');
  assert.equal(findFault({ ...stored, valid: false, invalid_reason: 'gone' }), 'not_working');
});

test('mail pauses for an owner who stayed away for two weeks and was told, and only for a channel with limits', () => {
  const agoMs = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
  assert.deepEqual(
    [agoMs(13.99), agoMs(14), null].map((seen) => isIdle(seen, LIMITS, NOW)),
    [false, true, true],
  );
  const told = (last_mail_at: Date | null, seen: Date | null) => isTold({ last_mail_at }, seen);
  assert.deepEqual([told(null, null), told(null, NOW), told(NOW, null)], [false, false, true]);
  assert.deepEqual([told(agoMs(2), agoMs(1)), told(agoMs(1), agoMs(1)), told(NOW, agoMs(1))], [false, true, true]);
  const mail = channel({ provider: MAIL });
  const bounds = (lastSeenAt: Date | null | undefined) => ({ ...person().bounds, lastSeenAt });
  assert.deepEqual(
    [null, agoMs(14), agoMs(1), undefined].map((seen) => isOwnerIdle(mail, bounds(seen))),
    [true, true, false, false],
  );
  assert.equal(isOwnerIdle(channel(), bounds(null)), false);
  const idle = { seenDaysAgo: 14 };
  assert.equal(reasonAt(0, [mail], idle), null, 'the message that says so is still to come');
  assert.equal(reasonAt(0, [{ ...mail, last_mail_at: agoMs(14) }], idle), 'mail_paused');
  assert.equal(reasonAt(0, [{ ...mail, last_mail_at: agoMs(20) }], idle), null, 'told before the last visit');
  assert.equal(reasonAt(0, [{ ...mail, last_mail_at: NOW }], { seenDaysAgo: 1 }), null);
  const unknown = { ...person(), bounds: bounds(null), stage: 0, isRepeat: false };
  assert.equal(findReach([{ ...mail, last_mail_at: NOW }], unknown).reason, 'mail_paused');
});

test('the mail that the service made reaches a person at every stage, until something of theirs can', () => {
  const automatic = channel({ id: 'm', provider: MAIL, automatic: true });
  const loud = channel({ stages: toStageBits([2]) });
  for (const stage of STAGES) assert.equal(reasonAt(stage, [automatic, channel({ fault: 'not_confirmed' })]), null);
  assert.deepEqual(findReach([automatic, channel()], { ...person(), stage: 0, isRepeat: false }).channels, [channel()]);
  assert.equal(reasonAt(0, [automatic, loud]), 'other_stages', 'its owner chose the stages of what works');
  assert.equal(reasonAt(0, [automatic, { ...loud, tier: 1 }]), null, 'a last resort leaves it in place');
});

test('repetitions end after eight messages about a task in a day, what its owner asked for only after 24', () => {
  const mail = [channel({ provider: MAIL })];
  for (const stage of STAGES) {
    assert.deepEqual(
      [7, 8].map((sent) => reasonAt(stage, mail, { sent }, true)),
      [null, 'enough_today'],
    );
    assert.deepEqual(
      [23, 24].map((sent) => reasonAt(stage, mail, { sent })),
      [null, 'enough_today'],
    );
  }
});

test('nothing is said to reach a person exactly if no device and no channel has a plan', () => {
  const someChannel = fc.record({
    id: fc.uuid(),
    provider: fc.constantFrom(...OFFERED, 'telegram'),
    stages: fc.integer({ min: 0, max: 15 }),
    tier: fc.integer({ min: 0, max: 3 }),
    automatic: fc.boolean(),
    last_mail_at: fc.constantFrom(null, NOW),
    fault: fc.constantFrom(null, null, 'not_confirmed' as const, 'not_working' as const),
  });
  const situation = fc.record({
    stage: fc.constantFrom(...STAGES),
    isRepeat: fc.boolean(),
    seenDaysAgo: fc.constantFrom(0, 15),
    sent: fc.constantFrom(0, 8, 24),
    hasDevice: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(someChannel, { maxLength: 4 }), situation, (channels, { stage, isRepeat, ...given }) => {
      const asked = { ...person(given), stage, isRepeat };
      const fallback = { unansweredSince: null, reachedTier: null };
      const { plans, reason } = planChannels(channels, { ...asked, fallback, fallbackMinutes: 3, now: NOW });
      const planned = plans.filter(({ plan }) => plan);
      assert.equal(reason === null, given.hasDevice || planned.length > 0);
      assert.equal(findReach(channels, asked).reason, reason);
      // Something that gets the nudge gets it at once, and nothing goes where it must not.
      assert.equal(
        planned.length > 0 && planned.every(({ plan }) => plan?.isFall),
        given.hasDevice && planned.length > 0 && planned.every(({ channel: { tier } }) => tier > 0),
      );
      for (const { channel: used } of planned) {
        assert.ok(OFFERED.includes(used.provider) && used.fault === null && used.stages & (1 << (stage + 1)));
        assert.ok(used.provider !== MAIL || given.sent < (isRepeat ? 8 : 24));
      }
    }),
  );
});
