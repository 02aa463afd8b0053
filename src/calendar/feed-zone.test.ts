import assert from 'node:assert/strict';
import { test } from 'node:test';
import ICAL from 'ical.js';
import { zoneComponent } from './feed-zone.ts';

const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Kolkata'];
const NOW = new Date('2026-03-02T09:00:00Z');

test('the description of a zone yields its real offset on every day for years', () => {
  for (const zone of ZONES) {
    const earliest = Temporal.PlainDateTime.from('2025-06-01T00:00');
    const described = new ICAL.Timezone(new ICAL.Component(zoneComponent(zone, earliest, NOW)));
    for (let day = 0; day < 3_000; day += 1) {
      const wall = earliest.add({ days: day, hours: 12 });
      const offset = described.utcOffset(ICAL.Time.fromDateTimeString(wall.toString({ smallestUnit: 'second' })));
      assert.equal(offset, wall.toZonedDateTime(zone).offsetNanoseconds / 1e9, `${zone} ${wall}`);
    }
  }
});

test('clocks change at the time that they showed before, as RFC 5545 wants it written', () => {
  const [, , observances] = zoneComponent('Europe/Berlin', Temporal.PlainDateTime.from('2026-01-01T00:00'), NOW);
  const changes = observances
    .slice(1)
    .map(([name, properties]) => [
      name,
      ...properties
        .filter(([kind]) => kind === 'dtstart' || kind === 'rdate')
        .map(([, , , at]) => String(at).slice(11)),
    ]);
  assert.deepEqual(
    changes.map(([name, ...times]) => [name, [...new Set(times)]]),
    [
      ['daylight', ['02:00:00']],
      ['standard', ['03:00:00']],
    ],
  );
});
