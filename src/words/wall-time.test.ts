import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toInstant, toIsoString, toWallTime, type WallTime } from './wall-time.ts';

const wall = (text: string): WallTime => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = text.split(/[-T:]/).map(Number);
  return { year, month, day, hour, minute };
};

test('a wall time survives the conversion to an instant and back, on both sides of a change of clocks', () => {
  for (const zone of ['UTC', 'Europe/Amsterdam', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe']) {
    for (const text of ['2026-03-02T09:00', '2026-07-01T00:00', '2026-12-31T23:59', '2026-03-29T12:00']) {
      assert.deepEqual(toWallTime(toInstant(wall(text), zone), zone), wall(text), `${text} ${zone}`);
    }
  }
});

test('a wall time that a change of clocks skips moves later', () => {
  assert.equal(toIsoString(wall('2026-03-29T02:30'), 'Europe/Amsterdam'), '2026-03-29T03:30:00+02:00');
});

test('an instant is written with the offset of its day', () => {
  assert.equal(toIsoString(wall('2026-07-01T09:00'), 'America/New_York'), '2026-07-01T09:00:00-04:00');
  assert.equal(toIsoString(wall('2026-01-01T09:00'), 'Asia/Kolkata'), '2026-01-01T09:00:00+05:30');
});
