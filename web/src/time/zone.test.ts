import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instantOf, isoOf, type Wall, wallOf } from './zone.ts';

const wall = (text: string): Wall => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = text.split(/[-T:]/).map(Number);
  return { year, month, day, hour, minute };
};

test('a wall clock and its instant lead to each other, on both sides of a change of clocks', () => {
  for (const zone of ['UTC', 'Europe/Amsterdam', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe']) {
    for (const text of ['2026-03-02T09:00', '2026-07-01T00:00', '2026-12-31T23:59', '2026-03-29T12:00']) {
      assert.deepEqual(wallOf(instantOf(wall(text), zone), zone), wall(text), `${text} ${zone}`);
    }
  }
});

test('a time that a change of clocks leaves out moves later, never away', () => {
  assert.equal(isoOf(wall('2026-03-29T02:30'), 'Europe/Amsterdam'), '2026-03-29T03:30:00+02:00');
});

test('an instant is written with the offset of its day', () => {
  assert.equal(isoOf(wall('2026-07-01T09:00'), 'America/New_York'), '2026-07-01T09:00:00-04:00');
  assert.equal(isoOf(wall('2026-01-01T09:00'), 'Asia/Kolkata'), '2026-01-01T09:00:00+05:30');
});
