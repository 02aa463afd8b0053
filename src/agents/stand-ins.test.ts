import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, TASK_ID } from '../../test/support/fake-agent.ts';
import { type ApiStandIn, chooseStandIn, standInsInWords } from './stand-ins.ts';

const standIn = (display_name: string | null, fields: Partial<ApiStandIn> = {}): ApiStandIn => ({
  space_id: 'home',
  person: { id: `id of ${display_name}`, display_name },
  from_rung: 2,
  state: 'agreed',
  starts_at: null,
  told_at: null,
  held_until: null,
  seen_at: null,
  ...fields,
});

async function choose(name: string, ...all: ApiStandIn[]) {
  const { agent, calls } = fakeAgent(() => ({ data: all }));
  const said = await chooseStandIn(agent, TASK_ID, { name, from: 4 }).catch((error: Error) => error.message);
  return { said, sent: calls.find(({ method }) => method === 'POST')?.payload };
}

test('only one single person of the name who has agreed is chosen', async () => {
  const grace = standIn('Grace');
  const { said, sent } = await choose(' grace', grace, standIn('Hal'));
  assert.equal(said, 'stand-in "Grace" from nudge 2 before');
  assert.deepEqual(sent, { person_id: grace.person.id, space_id: 'home', task_id: TASK_ID, from_rung: 4 });
  assert.equal((await choose('Grace', standIn('Grace', { state: 'asked' }))).sent, undefined);
  assert.equal((await choose('Grace', grace, standIn('grace', { space_id: 'work' }))).sent, undefined);
  // Who agreed and was left out of this task may be told again.
  const again = await choose('Grace', standIn('Grace', { state: 'left_out', from_rung: null }));
  assert.deepEqual([again.said, again.sent?.from_rung], ['stand-in "Grace" not told before', 4]);
});

test('it is told who was told when, who is first told when, and who has not answered', () => {
  const { agent } = fakeAgent(() => undefined);
  const at = '2026-03-05T11:00:00.000Z';
  const words = standInsInWords(
    [
      standIn('Grace', { starts_at: at }),
      standIn('Hal', { starts_at: at, told_at: '2026-03-05T12:00:00.000Z', seen_at: '2026-03-05T13:00:00.000Z' }),
      standIn('Ida', { state: 'asked' }),
      standIn(null, { held_until: at }),
    ],
    agent,
  );
  assert.equal(
    words,
    'If the user does not react, told too: "Grace" from nudge 2 on, first 2026-03-05T12:00; ' +
      '"Hal" from nudge 2 on, told 2026-03-05T13:00, seen 2026-03-05T14:00; "Ida" was asked and has not answered; ' +
      '"id of null" from nudge 2 on, held until 2026-03-05T12:00.',
  );
});
