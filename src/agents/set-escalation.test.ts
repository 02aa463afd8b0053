import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FakeCall, fakeAgent, fakeTask, TASK_ID } from '../../test/support/fake-agent.ts';
import { setEscalation } from './set-escalation.ts';
import { ToolFailure } from './tool-failure.ts';

const ladder = { rungs: [], name: null, preset: 'default', from: 'account', label: null, fitted: [] };

interface Stored {
  readonly ladders?: readonly object[];
  readonly headsUps?: readonly object[];
  readonly refuse?: (call: FakeCall) => boolean;
}

/** The answer to this call, or the sentence of its refusal, and what was changed. */
async function set(input: object, { ladders = [], headsUps = [], refuse = () => false }: Stored = {}) {
  const { agent, calls } = fakeAgent((call) => {
    if (refuse(call)) throw new ToolFailure('invalid_input', 'rungs: too short');
    if (call.path === '/v1/ladders') return { data: { ladders } };
    if (call.path.endsWith('/ladder'))
      return { data: call.method === 'GET' ? ladder : { ...ladder, preset: 'gentle' } };
    if (call.path.endsWith('/heads-ups')) return { data: { heads_ups: call.payload?.heads_ups ?? headsUps } };
    if (call.path.endsWith('/edit')) return { data: { task: fakeTask(), before: {} } };
    return { data: [fakeTask()] };
  });
  const answer = await setEscalation.run(agent, { task_id: TASK_ID, ...input }).catch((error: Error) => error);
  const changes = calls.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/edit'));
  return {
    text: answer instanceof Error ? answer.message : answer.text,
    changes: changes.map(({ method, path, payload }) => [method, path.split('/').at(-1), payload]),
  };
}

test('heads-ups in minutes replace those in minutes and hours, and those in days stay', async () => {
  const { text, changes } = await set(
    { heads_up_minutes: [30] },
    { headsUps: [{ days: 1 }, { hours: 2 }, { minutes: 5 }] },
  );
  assert.deepEqual(changes, [['PUT', 'heads-ups', { heads_ups: [{ days: 1 }, { minutes: 30 }] }]]);
  assert.match(text, / Before: heads-up 1 day before, 2 hours before, 5 minutes before\./);
});

test('a ladder is chosen by its name if one alone has it, and cleared ones go back to that of the label', async () => {
  const own = { id: 'the own one', name: 'Slow start' };
  assert.deepEqual((await set({ preset: ' slow START ' }, { ladders: [own] })).changes, [
    ['PUT', 'ladder', { ladder_id: own.id }],
  ]);
  const twice = await set({ preset: 'slow start' }, { ladders: [own, { id: 'another', name: 'slow start' }] });
  assert.deepEqual([twice.changes, /several ladders called/.test(twice.text)], [[], true]);
  assert.match((await set({ preset: 'fast' }, { ladders: [own] })).text, /no such ladder. There are .*"Slow start"/);
  const cleared = await set({ clear: ['preset'] });
  assert.deepEqual(cleared.changes, [['DELETE', 'ladder', undefined]]);
  assert.match(cleared.text, / Before: ladder default, the user's default\./);
});

test('a refused ladder says in words of the tool what is wrong, and what was set before it', async () => {
  const refuse = ({ method, path }: FakeCall) => method === 'PUT' && path.endsWith('/ladder');
  const alone = await set({ every_minutes: 2 }, { refuse });
  assert.equal(alone.text, 'every_minutes: at least 5, or 1 for a task that breaks quiet hours');
  const both = await set({ every_minutes: 2, mode: 'notify_once' }, { refuse });
  assert.match(both.text, /quiet hours\. Everything but the ladder was set\.$/);
  const headsUps = await set({ every_minutes: 2, heads_up_minutes: [5] }, { refuse });
  assert.match(headsUps.text, /Everything but the ladder was set\.$/);
});
