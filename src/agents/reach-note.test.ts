import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, fakeTask } from '../../test/support/fake-agent.ts';
import { type ApiForecast, noteOn, readForecast, readReachOfUser } from './reach-note.ts';

const nudge = (hour: number, stage: number, unreached: string | null = null): ApiForecast => ({
  at: new Date(Date.UTC(2026, 2, 5, hour)).toISOString(),
  wanted_at: '',
  stage,
  holds: [],
  via: [],
  unreached,
  falls: [],
});
const { agent } = fakeAgent(() => undefined);
const SILENT = 'other_stages';

test('a note names the stages of which no reminder arrives, and the first one that does', () => {
  assert.equal(noteOn([nudge(10, 0), nudge(11, 1)], agent), undefined);
  const all = noteOn([nudge(10, 0, SILENT), nudge(11, 1, SILENT)], agent);
  assert.match(all?.text ?? '', /^No reminder reaches the user: what is set up is for other stages\.$/);
  assert.deepEqual(all?.fields, { unreachable: SILENT });
  const later = noteOn([nudge(10, 0, SILENT), nudge(11, 1)], agent);
  assert.match(later?.text ?? '', / at stage 0: .* The first to arrive is 2026-03-05T12:00\.$/);
  assert.deepEqual(later?.fields, { unreachable: SILENT, unreached_stages: [0] });
  // The first one arrives anyway.
  assert.doesNotMatch(noteOn([nudge(10, 0), nudge(11, 1, SILENT)], agent)?.text ?? '', /first to arrive/);
});

test('a stage of which one reminder arrives is not among the silent ones, and enough for today passes', () => {
  const mixed = noteOn([nudge(10, 1, SILENT), nudge(11, 1), nudge(12, 2, SILENT)], agent);
  assert.deepEqual(mixed?.fields.unreached_stages, [2]);
  const enough = noteOn([nudge(10, 1), nudge(11, 1, 'enough_today')], agent);
  assert.match(
    enough?.text ?? '',
    /^From 2026-03-05T12:00 on no reminder reaches the user for a while: enough messages/,
  );
});

test('a list tells that nothing reaches its user, or that some stages do not', async () => {
  const tell = (reason: string | null, unreached_stages: number[]) =>
    readReachOfUser(fakeAgent(() => ({ data: { reason, unreached_stages } })).agent);
  assert.deepEqual(await tell('nothing_set_up', []), { unreachable: 'nothing_set_up' });
  assert.deepEqual(await tell(null, [2, 3]), { unreachable: 'other_stages', unreached_stages: [2, 3] });
  assert.equal(await tell(null, []), undefined);
});

test('of a closed task, and for a token that cannot read, no forecast is read', async () => {
  const { agent: reader, calls } = fakeAgent(() => ({ data: [] }));
  const next_fire_at = '2026-03-06T08:00:00.000Z';
  await readForecast(reader, fakeTask({ status: 'done', next_fire_at }));
  await readForecast(reader, fakeTask());
  await readForecast({ ...reader, canRead: false }, fakeTask({ next_fire_at }));
  assert.equal(calls.length, 0);
  await readForecast(reader, fakeTask({ next_fire_at }));
  assert.equal(calls.length, 1);
});
