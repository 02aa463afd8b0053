import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlanSettings } from '../escalation/plan-settings.ts';
import {
  type Allowed,
  type Held,
  type Holder,
  NONE,
  ONE,
  type PlannedNudge,
  planUnderstudies,
  reconcile,
  stateOf,
  THREE,
  type WantedUnderstudy,
} from './plan-understudies.ts';

const HOUR_MS = 3_600_000;
const NOW = new Date('2026-03-02T09:00:00Z');
const after = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

const settings = {
  timezone: 'UTC',
  quiet_hours_start: null,
  quiet_hours_end: null,
  day_start: '09:00',
  pause_from: null,
  pause_until: null,
  keep_must_not_miss: true,
  planned_pause_from: null,
  planned_pause_until: null,
  planned_keep_must_not_miss: true,
  suspended_at: null,
  ladders: null,
} as PlanSettings;

const holderWith = (changes: Partial<Holder> = {}): Holder => ({
  channelId: 'channel',
  isPrivate: false,
  minMs: 30_000,
  maxMs: 72 * HOUR_MS,
  allowed: THREE,
  ...changes,
});

const nudge = (id: string, minutes: number, mustNotMiss = false): PlannedNudge => ({
  taskId: id,
  title: `title of ${id}`,
  at: after(minutes),
  mustNotMiss,
});

const plan = (nudges: readonly PlannedNudge[], holder: Partial<Holder> = {}, changes: Partial<PlanSettings> = {}) =>
  planUnderstudies({ now: NOW, settings: { ...settings, ...changes }, holder: holderWith(holder), nudges });

const briefly = (wanted: readonly WantedUnderstudy[]) =>
  wanted.map(({ slot, soundsAt, stage, content }) => [
    slot,
    (soundsAt.getTime() - NOW.getTime()) / 60_000,
    stage,
    content.named.map(({ id }) => id).join(),
  ]);

test('three stand behind the next nudge, and each names what is due by then', () => {
  assert.deepEqual(briefly(plan([nudge('a', 60), nudge('b', 100), nudge('c', 300), nudge('d', 301)])), [
    ['first', 70, 0, 'a'],
    ['second', 120, 1, 'a,b'],
    ['third', 300, 2, 'a,b,c'],
  ]);
});

test('a must-not-miss task has one of its own, the strongest, and the first is left out if it would say no more', () => {
  assert.deepEqual(briefly(plan([nudge('a', 60, true), nudge('b', 400)])), [
    ['second', 120, 1, 'a'],
    ['third', 300, 2, 'a'],
    ['a', 70, 2, 'a'],
  ]);
  assert.deepEqual(briefly(plan([nudge('a', 60, true), nudge('b', 65)])).slice(0, 1), [['first', 70, 0, 'a,b']]);
});

test('of must-not-miss tasks the 20 soonest have one, and a message names eight tasks and counts the others', () => {
  const many = Array.from({ length: 25 }, (_, index) => nudge(`${index}`, 60 + index, true));
  const wanted = plan(many);
  assert.deepEqual(
    wanted.filter(({ slot }) => /^\d+$/.test(slot)).map(({ slot }) => slot),
    many.slice(0, 20).map(({ taskId }) => taskId),
  );
  const third = wanted.find(({ slot }) => slot === 'third');
  assert.deepEqual([third?.content.named.length, third?.content.count], [8, 25]);
});

test('a nudge that should have been sent counts from now, and nothing sounds sooner than its provider takes', () => {
  assert.deepEqual(briefly(plan([nudge('a', -90)])).slice(0, 1), [['first', 10, 0, 'a']]);
  assert.deepEqual(briefly(plan([nudge('a', 0)], { minMs: 15 * 60_000 })).slice(0, 1), [['first', 15, 0, 'a']]);
});

test('quiet hours hold what is general, and a must-not-miss task passes them', () => {
  const quiet = { quiet_hours_start: '10:00', quiet_hours_end: '20:00' };
  assert.deepEqual(briefly(plan([nudge('a', 55, true), nudge('b', 400)], {}, quiet)), [
    ['first', 660, 0, 'a,b'],
    ['second', 660, 1, 'a,b'],
    ['third', 660, 2, 'a,b'],
    ['a', 65, 2, 'a'],
  ]);
});

test('what is further than the provider holds, with an hour to spare, is not placed; then one says that the service is gone', () => {
  const holder = { maxMs: 6 * HOUR_MS };
  assert.deepEqual(briefly(plan([nudge('a', 60)], holder)).length, 3);
  assert.deepEqual(briefly(plan([nudge('a', 61)], holder)), [
    ['first', 71, 0, 'a'],
    ['second', 121, 1, 'a'],
  ]);
  const [gone, ...rest] = plan([nudge('a', 291)], holder);
  assert.deepEqual([gone?.content.kind, gone?.slot, rest.length], ['gone', 'first', 0]);
  const inMs = (gone?.soundsAt.getTime() ?? 0) - NOW.getTime();
  assert.ok(inMs > 2 * HOUR_MS && inMs <= 5 * HOUR_MS, `${inMs}`);
  // A server that holds messages for less than two hours would have to be asked all the time.
  assert.deepEqual(plan([], { maxMs: 119 * 60_000 }), []);
});

test('with nothing planned, the message moves once a day and not in between', () => {
  const holder = holderWith({ maxMs: 73 * HOUR_MS });
  const at = (now: string) =>
    planUnderstudies({ now: new Date(now), settings, holder, nudges: [] }).map(({ soundsAt }) =>
      soundsAt.toISOString(),
    );
  assert.deepEqual(at('2026-03-02T00:00:00Z'), ['2026-03-04T00:00:00.000Z']);
  assert.deepEqual(at('2026-03-02T23:59:59Z'), ['2026-03-04T00:00:00.000Z']);
  assert.deepEqual(at('2026-03-03T00:00:00Z'), ['2026-03-05T00:00:00.000Z']);
});

test('a pause that is longer than the provider holds leaves nothing, and a suspension or no budget neither', () => {
  const pause = { pause_from: NOW, pause_until: after(80 * 60) };
  assert.deepEqual(plan([nudge('a', 60)], {}, pause), []);
  assert.deepEqual(plan([nudge('a', 60)], {}, { suspended_at: NOW }), []);
  assert.deepEqual(plan([nudge('a', 60)], { allowed: NONE }), []);
  assert.deepEqual(briefly(plan([nudge('a', 60, true)], { allowed: ONE })), [['first', 70, 0, 'a']]);
});

test('what is told of a person follows from suspension, channel and budget', () => {
  const state = (allowed: Allowed | undefined, suspended_at: Date | null = null) =>
    stateOf({
      now: NOW,
      settings: { ...settings, suspended_at },
      holder: allowed && holderWith({ allowed }),
      nudges: [],
    });
  assert.deepEqual(
    [state(THREE), state(ONE), state(NONE), state(undefined), state(THREE, NOW)],
    ['held', 'one', 'none_left', 'no_channel', 'off'],
  );
});

const content = (...ids: string[]) => ({
  kind: 'due' as const,
  isPrivate: false,
  timezone: 'UTC',
  named: ids.map((id) => ({ id, title: id, at: 0 })),
  count: ids.length,
});
const wish = (minutes: number, ...ids: string[]): WantedUnderstudy => ({
  slot: 'first',
  soundsAt: after(minutes),
  stage: 0,
  content: content(...ids),
});
const heldAs = (minutes: number, ids: string[], changes: Partial<Held> = {}): Held => ({
  id: 'held',
  channelId: 'channel',
  slot: 'first',
  soundsAt: after(minutes),
  content: JSON.stringify(content(...ids)),
  stage: 0,
  movedAt: after(-1),
  ...changes,
});
const reconciled = (held: readonly Held[], wanted: readonly WantedUnderstudy[]) => {
  const { placed, moved, cancelled, nextMoveAt } = reconcile(held, wanted, 'channel', NOW, NOW);
  const nextMinutes = nextMoveAt && (nextMoveAt.getTime() - NOW.getTime()) / 60_000;
  return [placed.length, moved.length, cancelled.length, nextMinutes];
};

test('what is only put off waits until five minutes after it last moved, or until it would sound', () => {
  assert.deepEqual(reconciled([heldAs(70, ['a'])], [wish(100, 'a')]), [0, 0, 0, 4]);
  assert.deepEqual(reconciled([heldAs(70, ['a'], { movedAt: after(-5) })], [wish(100, 'a')]), [0, 1, 0, null]);
  assert.deepEqual(reconciled([heldAs(6, ['a'])], [wish(100, 'a')]), [0, 0, 0, 2]);
  assert.deepEqual(reconciled([heldAs(4, ['a'])], [wish(100, 'a')]), [0, 1, 0, null]);
});

test('an earlier moment, a task that is dealt with, a clock that was set back and what was never taken do not wait', () => {
  assert.deepEqual(reconciled([heldAs(70, ['a'])], [wish(69, 'a')]), [0, 1, 0, null]);
  assert.deepEqual(reconciled([heldAs(70, ['a', 'b'])], [wish(100, 'a')]), [0, 1, 0, null]);
  assert.deepEqual(reconciled([heldAs(70, ['a'], { movedAt: after(1) })], [wish(100, 'a')]), [0, 1, 0, null]);
  assert.deepEqual(reconciled([heldAs(70, ['a'], { movedAt: null })], [wish(100, 'a')]), [0, 1, 0, null]);
  assert.deepEqual(reconciled([heldAs(70, ['a'], { soundsAt: null })], [wish(100, 'a')]), [0, 1, 0, null]);
});

test('what is as it should be stays; what is missing is placed; what is not wanted, or on another channel, is taken back', () => {
  assert.deepEqual(reconciled([heldAs(70, ['a'])], [wish(70, 'a')]), [0, 0, 0, null]);
  assert.deepEqual(reconciled([heldAs(70, ['a'])], [{ ...wish(70, 'a'), stage: 1 }]), [0, 0, 0, 4]);
  assert.deepEqual(reconciled([], [wish(70, 'a')]), [1, 0, 0, null]);
  assert.deepEqual(reconciled([heldAs(70, ['a'])], []), [0, 0, 1, null]);
  assert.deepEqual(reconciled([heldAs(70, ['a'], { channelId: 'before' })], [wish(70, 'a')]), [1, 0, 1, null]);
  assert.deepEqual(reconciled([heldAs(70, ['a'], { soundsAt: null })], []), [0, 0, 0, null]);
});
