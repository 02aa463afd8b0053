import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Nudge, TimelineEntry } from '../api/client.ts';
import { layOutLadder } from './ladder-layout.ts';

const DUE = '2026-03-02T09:00:00Z';
const at = (clock: string) => `2026-03-02T${clock}:00Z`;

const entry = (clock: string, kind: string, fields: Partial<TimelineEntry> = {}): TimelineEntry => ({
  id: clock + kind,
  at: at(clock),
  kind,
  by: null,
  token_id: null,
  stage: null,
  until: null,
  holds: [],
  occurrence_due_at: DUE,
  reached: null,
  deliveries: null,
  ...fields,
});

const coming = (clock: string, stage: number, wanted = clock, holds: Nudge['holds'] = []): Nudge => ({
  at: at(clock),
  stage,
  wanted_at: at(wanted),
  holds,
});

const task = { due_at: DUE, has_time: true, status: 'open' };

test('what a stand-in has seen, its owner has not', () => {
  const timeline = [
    entry('09:01', 'acknowledged', { stage: 0, by: 'stand_in' }),
    entry('09:00', 'nudge', { stage: 0 }),
  ];
  const { rungs } = layOutLadder({ task, timeline, forecast: [], now: Date.parse(at('09:20')) });
  assert.deepEqual(
    rungs.map(({ state }) => state),
    ['sent'],
  );
});

test('sent and coming nudges are in the order of time, with their results', () => {
  const { rungs, marks } = layOutLadder({
    task,
    timeline: [
      entry('09:16', 'acknowledged', { stage: 1 }),
      entry('09:15', 'nudge', { stage: 1, reached: 'sent' }),
      entry('09:00', 'nudge', { stage: 0, reached: 'failed' }),
    ],
    forecast: [coming('09:30', 1), coming('10:30', 2)],
    now: Date.parse(at('09:20')),
  });
  assert.deepEqual(
    rungs.map(({ stage, state }) => [stage, state]),
    [
      [0, 'failed'],
      [1, 'acknowledged'],
      [1, 'coming'],
      [2, 'coming'],
    ],
  );
  const xs = rungs.map(({ x }) => x);
  assert.deepEqual(
    xs,
    xs.toSorted((a, b) => a - b),
  );
  const now = marks.find(({ kind }) => kind === 'now');
  assert.ok(now && now.x > (xs[1] ?? 0) && now.x < (xs[2] ?? 0));
});

test('a hold that several nudges wait for is one band, from the first wanted time to its end', () => {
  const { holds } = layOutLadder({
    task,
    timeline: [],
    forecast: [
      coming('22:00', 0),
      coming('23:30', 1, '22:15', ['quiet_hours']),
      coming('23:45', 1, '23:00', ['quiet_hours']),
    ],
    now: Date.parse(at('21:00')),
  });
  assert.equal(holds.length, 1);
  assert.equal(holds[0]?.from, Date.parse(at('22:15')));
  assert.equal(holds[0]?.to, Date.parse(at('23:45')));
  assert.ok((holds[0]?.width ?? 0) > 0);
});

test('a gap of days is shortened and marked', () => {
  const { breaks, width } = layOutLadder({
    task,
    timeline: [],
    forecast: [coming('09:00', 0), { ...coming('09:00', -1), at: '2026-03-20T09:00:00Z' }],
    now: Date.parse(at('08:59')),
  });
  assert.equal(breaks.length, 1);
  assert.ok(width < 400);
});

const layOut = (timeline: TimelineEntry[], fields: object = {}) =>
  layOutLadder({ task, timeline, forecast: [], now: Date.parse(at('12:00')), ...fields });

test('each nudge that was sent tells what became of it', () => {
  const delivery = (acknowledged_at: string | null) => ({ acknowledged_at }) as never;
  const { rungs } = layOut([
    entry('10:20', 'acknowledged', { stage: 1 }),
    entry('10:15', 'nudge', { stage: 2, reached: 'sent' }),
    entry('10:00', 'nudge', { stage: 1, reached: 'sent', deliveries: [delivery(null), delivery(at('10:01'))] }),
    entry('09:45', 'nudge', { stage: 1, reached: 'sent', deliveries: [delivery(null)] }),
    entry('09:30', 'nudge', { stage: 1, reached: 'no_device' }),
    entry('09:15', 'nudge', { stage: 1, reached: 'not_sent' }),
    entry('09:00', 'nudge', { reached: 'pending' }),
  ]);
  assert.deepEqual(
    rungs.map(({ stage, state }) => [stage, state]),
    [
      [0, 'pending'],
      [1, 'failed'],
      [1, 'no_device'],
      [1, 'sent'],
      [1, 'acknowledged'],
      // What was seen was a nudge of another stage.
      [2, 'sent'],
    ],
  );
});

test('of many nudges the newest ten are drawn, and nothing that was before them', () => {
  const clocks = Array.from({ length: 12 }, (_, index) => `09:${String(index + 10)}`);
  const { rungs, holds, marks } = layOut([
    ...clocks.map((clock) => entry(clock, 'nudge', { stage: 0 })).toReversed(),
    entry('08:50', 'snoozed'),
    entry('08:00', 'held', { until: at('08:40'), holds: ['quiet_hours'] }),
  ]);
  assert.deepEqual([rungs.length, rungs[0]?.at], [10, Date.parse(at('09:12'))]);
  assert.deepEqual([holds, marks.map(({ kind }) => kind)], [[], ['now']]);
});

test('a due time is marked only where there is one, and so is what was done', () => {
  const nudges = [entry('09:40', 'done'), entry('09:20', 'snoozed'), entry('08:00', 'nudge', { stage: -1 })];
  const kinds = (fields: object) => layOut(nudges, fields).marks.map(({ kind }) => kind);
  assert.deepEqual(kinds({}), ['now', 'due', 'done', 'snoozed']);
  assert.deepEqual(kinds({ task: { ...task, has_time: false } }), ['now', 'done', 'snoozed']);
  assert.deepEqual(kinds({ task: { ...task, due_at: null } }), ['now', 'done', 'snoozed']);
});

test('holds of different kinds are bands of their own, and one inside another ends with it; a hold that goes on is drawn', () => {
  const held = (clock: string, until: string, name: 'quiet_hours' | 'pause') =>
    entry(clock, 'held', { until: at(until), holds: [name] });
  const { holds } = layOut([
    held('11:30', '12:30', 'pause'),
    held('09:30', '09:45', 'quiet_hours'),
    held('09:10', '10:00', 'quiet_hours'),
    held('09:50', '10:30', 'pause'),
    held('08:00', '09:00', 'quiet_hours'),
    entry('08:30', 'nudge', { stage: 0 }),
  ]);
  assert.deepEqual(
    holds.map(({ from, to, names }) =>
      [new Date(from), new Date(to)].map((one) => one.toISOString().slice(11, 16)).concat(names),
    ),
    [
      ['08:00', '09:00', 'quiet_hours'],
      ['09:10', '10:00', 'quiet_hours'],
      ['09:50', '10:30', 'pause'],
      ['11:30', '12:30', 'pause'],
    ],
  );
});
