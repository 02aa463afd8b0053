import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateInDays, isBackwards, type PauseFields, pauseOf, withLater } from './pause-form.ts';

const ZONE = 'Europe/Amsterdam';
const at = (date: string, time = '09:00') => ({ date, time });
const fields = (more: Partial<PauseFields>): PauseFields => ({
  isLater: true,
  start: at('2026-03-28'),
  finish: at('2026-03-30'),
  ...more,
});

test('a pause starts now or at its own moment, in the zone of the account, and ends after it', () => {
  const until = '2026-03-30T09:00:00+02:00';
  assert.deepEqual(pauseOf(fields({}), ZONE), { from: '2026-03-28T09:00:00+01:00', until });
  assert.deepEqual(pauseOf(fields({ isLater: false }), ZONE), { from: undefined, until });
  const sameDay = { start: at('2026-03-28', '09:00'), finish: at('2026-03-28', '10:00') };
  assert.equal(isBackwards(fields(sameDay)), false);
  assert.equal(isBackwards(fields({ ...sameDay, finish: sameDay.start })), true);
  assert.equal(pauseOf(fields({ start: at('2026-03-31') }), ZONE), undefined);
  assert.equal(pauseOf(fields({ isLater: false, start: at('2026-03-31') }), ZONE)?.until, until);
});

test('a pause with an empty field is not asked for, unless the field is of no account', () => {
  assert.equal(pauseOf(fields({ finish: at('') }), ZONE), undefined);
  assert.equal(pauseOf(fields({ start: at('') }), ZONE), undefined);
  assert.notEqual(pauseOf(fields({ isLater: false, start: at('') }), ZONE), undefined);
});

test('whoever plans a later pause gets an end after its start, and keeps one that is', () => {
  const inDays = (days: number) => dateInDays(Date.parse('2026-03-27T23:30:00Z'), ZONE, days);
  const moved = (finish: string, isLater: boolean) =>
    withLater(fields({ isLater: !isLater, finish: at(finish, '18:00') }), isLater, inDays).finish;
  assert.deepEqual(moved('2026-03-28', true), at('2026-04-05', '18:00'));
  assert.deepEqual(moved('2026-03-29', true), at('2026-03-29', '18:00'));
  assert.deepEqual(moved('2026-03-28', false), at('2026-03-28', '18:00'));
});
