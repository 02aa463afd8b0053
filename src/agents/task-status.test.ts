import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, fakeTask, TASK_ID } from '../../test/support/fake-agent.ts';
import { taskStatus } from './task-status.ts';

const nudge = (at: string, fields: object = {}) => ({
  at,
  wanted_at: at,
  stage: 0,
  holds: [],
  via: ['Phone'],
  unreached: null,
  falls: [],
  ...fields,
});

const entry = (at: string, fields: object = {}) => ({
  at,
  kind: 'nudge',
  by: null,
  token: null,
  stage: 0,
  until: null,
  via: null,
  fields: [],
  missed: null,
  unreached: null,
  deliveries: null,
  ...fields,
});

interface Facts {
  readonly ahead?: readonly object[];
  readonly entries?: readonly object[];
}

async function tell({ ahead = [], entries = [] }: Facts): Promise<string> {
  const { agent } = fakeAgent(({ path, query }) => {
    if (query.ids !== undefined) {
      const [next_fire_at = null] = ahead.map((one) => (one as { at: string }).at);
      return { data: [fakeTask({ due_at: '2026-03-05T10:30:00.000Z', next_fire_at })] };
    }
    if (path.endsWith('/forecast')) return { data: ahead };
    if (path.endsWith('/timeline')) return { data: entries };
    if (path === '/v1/channels') return { data: { reason: null } };
    if (path.endsWith('/heads-ups')) return { data: { heads_ups: [] } };
    if (path.endsWith('/stand-ins')) return { data: [] };
    return { data: { rungs: [], name: null, preset: 'default', from: 'account', label: null, fitted: [] } };
  });
  return (await taskStatus.run(agent, { task_id: TASK_ID })).text;
}

test('the reminders ahead say the day once, where each goes, what holds it, and where it goes on to', async () => {
  const falls = [{ at: '2026-03-06T08:05:00.000Z', via: ['Mail', 'Webhook'] }];
  const text = await tell({
    ahead: [
      nudge('2026-03-05T11:00:00.000Z', { holds: ['quiet_hours'], wanted_at: '2026-03-05T10:30:00.000Z' }),
      nudge('2026-03-05T11:15:00.000Z', { stage: 1 }),
      nudge('2026-03-06T08:00:00.000Z', { stage: 1, falls }),
    ],
  });
  assert.match(text, /It is held by quiet hours; asked for: 2026-03-05T11:30/);
  const first = 'Ahead: 2026-03-05T12:00: stage 0, to "Phone", held_by quiet_hours; 12:15: stage 1, to "Phone"; ';
  assert.ok(
    text.includes(`${first}2026-03-06T09:00: stage 1, to "Phone", unanswered Mail and Webhook 2026-03-06T09:05.`),
    text,
  );
  assert.doesNotMatch(await tell({ ahead: [nudge('2026-03-05T11:00:00.000Z')] }), /held/);
});

test('the last deliveries say what became of them and whether they were seen, and names of others are quoted', async () => {
  const sent = { via: 'ntfy', name: 'Phone; status seen', status: 'accepted', reason: null, acknowledged_at: null };
  const deliveries = [sent, { ...sent, name: null, acknowledged_at: '2026-03-05T08:31:00.000Z' }];
  const text = await tell({
    entries: [
      entry('2026-03-05T08:30:00.000Z', { stage: 1, deliveries }),
      entry('2026-03-05T08:00:00.000Z', {
        kind: 'edited',
        stage: 2,
        fields: ['title'],
        token: { name: 'Bot', prefix: 'x' },
      }),
    ],
  });
  const first = '2026-03-05T09:30: stage 1, to "Phone; status seen", status accepted, seen no';
  assert.ok(
    text.includes(`Last deliveries: ${first}; 09:30: stage 1, to "ntfy", status accepted, seen 2026-03-05T09:31.`),
    text,
  );
  assert.ok(
    text.endsWith('History: 2026-03-05T09:30: nudge, stage 1; 09:00: edited, changed title, through "Bot".'),
    text,
  );
});

test('of many deliveries the last five are told', async () => {
  const sent = { via: 'ntfy', name: null, status: 'accepted', reason: null, acknowledged_at: null };
  const entries = [3, 2, 1].map((hour) => entry(`2026-03-05T0${hour}:00:00.000Z`, { deliveries: [sent, sent] }));
  const [line = ''] = /^Last deliveries: .*$/m.exec(await tell({ entries })) ?? [];
  assert.equal(line.match(/\d\d:00/g)?.length, 5, line);
});
