import assert from 'node:assert/strict';
import { NtfyRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { onEveryEngine } from '../support/engines.ts';
import { SmsRig } from '../support/provider-rigs.ts';
import { startScenario } from '../support/scenario.ts';

const PERSISTENT = { preset: 'persistent' };

onEveryEngine((engine, it) => {
  it('whatever its ladder, a task costs few text messages in a day, and the forecast says when nothing is sent', async () => {
    await using scenario = await ChannelScenario.open(engine, await SmsRig.start());
    const { rig, ada, clock } = scenario;
    await rig.connect(ada);
    const confirmed = rig.texts.length;
    const id = await scenario.create();
    await ada.ask('PUT', `/v1/tasks/${id}/ladder`, PERSISTENT);
    await clock.advance('1h');
    await clock.advance('6h');
    assert.equal(rig.texts.length - confirmed, 6);
    const [next] = (await ada.ask('GET', `/v1/tasks/${id}/forecast?limit=1`)).body.data;
    assert.deepEqual([next.via, next.unreached], [[], 'enough_today']);
    const [entry] = (await ada.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
    assert.equal(entry.unreached, 'enough_today');
    // An answer begins a new run, and its first nudge is what the person asked for.
    await ada.ask('POST', `/v1/tasks/${id}/snooze`, {
      until: new Date(clock.now().getTime() + 3_600_000).toISOString(),
    });
    await clock.advance('2h');
    assert.equal(rig.texts.length - confirmed, 7);
  });

  it('a test of a rung goes to devices and channels as strong as its stage, within the limits of tests', async () => {
    await using scenario = await ChannelScenario.open(engine, await NtfyRig.start());
    const { rig, ada } = scenario;
    await rig.connect(ada, { stages: [1, 2] });
    const priorityOf = async (stage: number) => {
      const { body } = await ada.ask('POST', '/v1/ladders/test', { stage });
      return [body.data.sent, body.data.channels.length];
    };
    assert.deepEqual(await priorityOf(2), [1, 1]);
    assert.match(rig.server.requests.at(-1)?.body ?? '', /"priority":5/);
    assert.deepEqual(await priorityOf(1), [1, 1]);
    assert.doesNotMatch(rig.server.requests.at(-1)?.body ?? '', /"priority":5/);
    assert.deepEqual(await priorityOf(0), [0, 0]);
    assert.equal((await ada.ask('POST', '/v1/ladders/test', { stage: 3 })).status, 422);
    for (let count = 0; count < 2; count += 1) await priorityOf(2);
    assert.equal((await ada.ask('POST', '/v1/ladders/test', { stage: 2 })).status, 429);
  });

  it('every stage can be tried through several channels within a minute, and a refusal says what to do', async () => {
    await using scenario = await ChannelScenario.open(engine, await NtfyRig.start());
    const { rig, ada } = scenario;
    const stages = [-1, 0, 1, 2];
    const id = await rig.connect(ada, { stages });
    await rig.connect(ada, { stages });
    const tryStage = async (stage: number) => (await ada.ask('POST', '/v1/ladders/test', { stage })).body.data;
    for (const stage of stages) assert.equal((await tryStage(stage)).sent, 2, `stage ${stage}`);
    for (let count = 0; count < 2; count += 1)
      assert.equal((await ada.ask('POST', `/v1/channels/${id}/test`)).status, 200);
    const problem = 'Enough tests were sent for now. Try again later.';
    assert.deepEqual(
      (await tryStage(0)).channels.map((one: { status: string; problem: string }) => [one.status, one.problem]),
      [
        ['failed_transient', problem],
        ['failed_transient', problem],
      ],
    );
  });

  it('a task fires as its own ladder and its heads-ups say, and stops where the ladder ends', async () => {
    await using scenario = await startScenario(engine);
    const { ada } = scenario;
    const { id } = await scenario.create({ due_at: '2026-03-02T10:00:00Z', has_time: true });
    const rungs = [
      { after: 0, stage: 1 },
      { after: 7, stage: 1 },
      { after: 20, stage: 2 },
    ];
    await ada.ask('PUT', `/v1/tasks/${id}/ladder`, { rungs, end: { repeat_last: 2, times: 1 } });
    await ada.ask('PUT', `/v1/tasks/${id}/heads-ups`, { heads_ups: [{ minutes: 10 }] });
    const times = ['09:50 -1', '10:00 1', '10:07 1', '10:27 2', '10:34 2', '10:54 2'];
    const forecast = (await ada.ask('GET', `/v1/tasks/${id}/forecast?limit=20`)).body.data;
    assert.deepEqual(
      forecast.map(({ at, stage }: { at: string; stage: number }) => `${at.slice(11, 16)} ${stage}`),
      times,
    );
    await scenario.advance('5h');
    scenario.phone.expect(...times.map((time) => `2026-03-02T${time} pills`));
  });
});
