/** What is said about coming nudges is what happens to them. */
import assert from 'node:assert/strict';
import { toStageBits } from '../../src/escalation/ladder.ts';
import { callToolOk, mintToken } from '../support/agents.ts';
import { EmailRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { channelRow } from '../support/stored-channel.ts';

/** An access token is taken over https only where BASE_URL says so. */
const open = async (engine: EngineName) => ChannelScenario.open(engine, await EmailRig.start(), { BASE_URL: '' });

interface Told {
  readonly at: string;
  readonly kind: string;
  readonly stage: number;
  readonly unreached: string | null;
  readonly via: readonly string[];
  readonly deliveries: readonly { readonly name: string; readonly status: string }[];
}

onEveryEngine((engine, it) => {
  it('a person with nothing but mail gets every stage, eight mails a day, and each nudge as it was forecast', async () => {
    await using scenario = await open(engine);
    const { ada, app, rig, clock } = scenario;
    await scenario.create({ title: 'bins', mode: 'notify_once', due_at: '2026-03-02T12:00:00Z' });
    const id = await scenario.create({ lead_time_days: 1, due_at: '2026-03-04T10:00:00Z' });
    const read = async (path: string): Promise<Told[]> => (await ada.ask('GET', `/v1/tasks/${id}/${path}`)).body.data;
    const forecast = await read('forecast?limit=12');
    assert.deepEqual(
      forecast.map(({ stage, unreached, via }) => [stage, unreached, ...via]),
      [...[-1, 0, 1, 1, 1, 2, 2, 2, 2].map((stage) => [stage, null, 'Email']), ...Array(3).fill([2, 'enough_today'])],
    );
    await clock.advance('4h');
    assert.equal(rig.take().length, 1, 'a reminder that comes once');
    // Two mails are left for the last stage.
    await clock.advance('47h');
    const { token } = await mintToken(ada);
    const status = await callToolOk(app, token, 'task_status', { task_id: id });
    assert.match(
      status.text,
      /From 2026-03-04T15:00 on no reminder reaches the user for a while: enough messages about/,
    );
    await clock.advance('5h');
    const nudges = (await read('timeline')).filter(({ kind }) => kind === 'nudge').toReversed();
    assert.deepEqual(
      nudges.slice(0, 12).map(({ at, stage, unreached }) => [at, stage, unreached]),
      forecast.map(({ at, stage, unreached }) => [at, stage, unreached]),
    );
    assert.deepEqual(
      nudges.flatMap(({ deliveries }) => deliveries.map(({ name, status }) => `${name} ${status}`)),
      Array(9).fill('Email sent'),
    );
    assert.equal(rig.take().length, 9);
    // Who snoozes asks to be reminded, whatever was mailed before.
    await ada.ask('POST', `/v1/tasks/${id}/snooze`, { until: '2026-03-04T17:30:00Z' });
    const [next, later] = await read('forecast?limit=2');
    assert.deepEqual([next?.unreached, later?.unreached], [null, 'enough_today']);
    await clock.advance('50m');
    assert.equal(rig.take().length, 1);
  });

  it('where the chosen stages leave a nudge to nothing, every answer says so before, and the timeline after', async () => {
    await using scenario = await open(engine);
    const { ada, app, clock } = scenario;
    const stages = toStageBits([1, 2]);
    const lamp = channelRow(clock.now(), { user_id: ada.userId, provider: 'ntfy', name: 'phone', stages });
    await app.db.insertInto('channels').values(lamp).execute();
    const { token } = await mintToken(ada);
    const made = await callToolOk(app, token, 'create_task', { title: 'pills', due_at: '2026-03-02T10:00:00Z' });
    const SILENT =
      /No reminder reaches the user at stage 0: what is set up is for other stages\. The first to arrive is/;
    assert.match(made.text, SILENT);
    const task_id = made.structured.task.id;
    const { reachable, unreached_stages } = (await ada.ask('GET', '/v1/channels')).body.data;
    assert.deepEqual([reachable, unreached_stages], [true, [-1, 0]]);
    const listed = await callToolOk(app, token, 'list_tasks', {});
    assert.deepEqual(listed.structured.unreached_stages, [-1, 0]);
    for (const [name, input] of [
      ['update_task', { task_id, title: 'tablets' }],
      ['snooze_task', { task_id, until: '2026-03-02T10:30' }],
    ] as const)
      assert.match((await callToolOk(app, token, name, input)).text, SILENT);
    const status = await callToolOk(app, token, 'task_status', { task_id });
    assert.match(status.text, SILENT);
    assert.match(status.text, /stage 0, unreached other_stages; [^;]*stage 1, to "ntfy: phone"/);
    await clock.advance('2h');
    const entries: Told[] = (await ada.ask('GET', `/v1/tasks/${task_id}/timeline`)).body.data;
    const nudges = entries.filter(({ kind }) => kind === 'nudge').toReversed();
    assert.deepEqual(
      nudges.slice(0, 2).map(({ unreached, deliveries }) => [unreached, ...deliveries.map(({ name }) => name)]),
      [['other_stages'], [null, 'ntfy: phone']],
    );
  });
});
