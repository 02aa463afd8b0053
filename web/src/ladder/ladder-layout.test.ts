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
