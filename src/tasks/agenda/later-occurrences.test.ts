import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sized } from '../../../test/support/size.ts';
import { parseDateTime } from '../../lib/date-time.ts';
import { parseRule } from '../../recurrence/parse-rule.ts';
import { movedDueFields, nextDueFields, type Series, toDueFields } from '../due.ts';
import { laterOccurrences, MOST_PER_DAY } from './later-occurrences.ts';

const ZONES = ['Europe/Amsterdam', 'America/New_York', 'Pacific/Apia', 'Asia/Kathmandu'];
const RULES = [
  { freq: 'daily' },
  { freq: 'daily', by_time: ['02:15', '02:45', '03:05', '20:00'] },
  { freq: 'weekly', by_weekday: ['mo', 'th'], until: '2026-05-01' },
  { freq: 'monthly' },
  { freq: 'monthly', by_weekday: ['-1fr'], count: 4 },
  { freq: 'daily', interval: 3, count: 9 },
  { rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU' },
  { freq: 'hourly', interval: 7 },
  { freq: 'hourly', interval: 11, count: 12 },
];

const written = (text: string) => parseDateTime(text) ?? assert.fail(text);

test('later occurrences are the ones that closing each at its due moment would give, from any day on', () => {
  const days = fc.integer({ min: 0, max: 45 });
  const walls = fc
    .tuple(days, fc.integer({ min: 0, max: 95 }))
    .map(([day, quarter]) => Temporal.PlainDateTime.from('2026-03-01').add({ days: day, minutes: quarter * 15 }));
  const moves = fc.option(fc.integer({ min: -30, max: 72 }));
  fc.assert(
    fc.property(
      fc.constantFrom(...RULES),
      fc.constantFrom(...ZONES),
      walls,
      fc.boolean(),
      days,
      moves,
      (recurrence, zone, wall, isTimed, offset, moved) => {
        const rule = parseRule(recurrence) ?? assert.fail();
        const hasTime = isTimed || 'by_time' in recurrence || recurrence.freq === 'hourly';
        let task: Series = { ...toDueFields(written(wall.toString()), hasTime, zone), occurrence_number: 1 };
        if (moved !== null)
          task = { ...task, ...movedDueFields(task, written(wall.add({ hours: moved }).toString()), zone) };
        const from = wall.toPlainDate().add({ days: offset });
        const found = [...laterOccurrences(task, rule, zone, from).take(12)].map(({ at }) => at.toISOString());
        assert.deepEqual(found, byClosing(task, rule, zone, from, found.length + 1).slice(0, 12));
      },
    ),
    { numRuns: sized(150, 3_000) },
  );
});

/** Closes one after the other, each at the moment that the rule gave it. */
function byClosing(
  task: Series,
  rule: Parameters<typeof nextDueFields>[1],
  zone: string,
  from: Temporal.PlainDate,
  most: number,
) {
  const found: string[] = [];
  let [series, closedAt] = [task, new Date(0)];
  while (found.length < most) {
    const next = nextDueFields(series, rule, zone, closedAt);
    if (!next?.due_at) break;
    const day = next.due_at.toTemporalInstant().toZonedDateTimeISO(zone).toPlainDate();
    if (Temporal.PlainDate.compare(day, from) >= 0) found.push(next.due_at.toISOString());
    series = { ...series, ...next, occurrence_number: series.occurrence_number + 1 };
    closedAt = next.due_at;
  }
  return found;
}

test('of a rule that repeats every few minutes, each day has a bounded number and says that there are more', () => {
  const rule = parseRule({ freq: 'minutely', interval: 5 }) ?? assert.fail();
  const task = { ...toDueFields(written('2026-03-01T00:00'), true, 'UTC'), occurrence_number: 1 };
  const from = Temporal.PlainDate.from('2026-03-02');
  const found = [...laterOccurrences(task, rule, 'UTC', from).take(MOST_PER_DAY + 1)];
  assert.deepEqual(
    found.map(({ hasMore }) => hasMore).flatMap((hasMore, index) => (hasMore ? [index] : [])),
    [MOST_PER_DAY - 1],
  );
  assert.equal(found.at(-1)?.at.toISOString(), '2026-03-03T00:00:00.000Z');
});
