import assert from 'node:assert/strict';
import { ChannelUpdates } from '../../src/channels/channel-updates.ts';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { ChannelProvider } from '../../src/push/channel-provider.ts';
import { create, echo, verify } from '../support/channel-rig.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { HttpRecorder } from '../support/http-recorder.ts';
import { createPerson } from '../support/people.ts';
import { AppriseRig, PushoverRig, SmsRig } from '../support/provider-rigs.ts';
import { startTestApp } from '../support/test-app.ts';

/** A channel in tier 0 for stage 2, and a webhook in tier 2 that gets what nobody confirmed. */
async function openWithWebhook<T extends PushoverRig | SmsRig>(engine: EngineName, rig: T, fields: object = {}) {
  const hook = await HttpRecorder.start(echo);
  const scenario = await ChannelScenario.open(engine, rig, { CHANNEL_HOSTS: `*,${hook.host}` });
  const { ada } = scenario;
  const id = await rig.connect(ada, { stages: [2], tier: 0, ...fields });
  const url = `${hook.origin}/x`;
  const { id: webhook } = await create(ada, { provider: 'webhook', tier: 2, stages: [2], fields: { url } });
  assert.equal((await ada.ask('POST', `/v1/channels/${webhook}/verify`, {})).status, 200);
  hook.requests.splice(0);
  /** Until the first nudge of stage 2, an hour after the task was due. */
  const reachStageTwo = async () => {
    const task = await scenario.due();
    for (let nudge = 0; nudge < 4; nudge += 1) await scenario.clock.advance('15m');
    return task;
  };
  const confirmedAt = async (task: string) => {
    const deliveries = await scenario.deliveries(task);
    return deliveries.find(({ provider, stage }) => provider === rig.provider && stage === 2)?.confirmed_at;
  };
  const dispose = async () => {
    await scenario[Symbol.asyncDispose]();
    await hook[Symbol.asyncDispose]();
  };
  return { scenario, rig, hook, id, reachStageTwo, confirmedAt, [Symbol.asyncDispose]: dispose };
}

onEveryEngine((engine, it) => {
  it('news of a provider that could not be handled is asked for again', async () => {
    await using app = await startTestApp(engine);
    const logger = createLogger('silent');
    let isFailing = true;
    const handle = async () => (isFailing ? assert.fail('The process died.') : ('connected' as const));
    const parts = { db: app.db, clock: app.clock, logger, schema: new SchemaWatch(logger), providers: [] };
    const updates = new ChannelUpdates({ ...parts, events: { handle } } as never);
    const asked: (string | null)[] = [];
    const receive = () =>
      updates.receiveOnce(
        { kind: { provider: 'telegram' } } as ChannelProvider,
        async (cursor) => {
          asked.push(cursor);
          return { events: [], cursor: '42' };
        },
        new AbortController().signal,
      );
    await assert.rejects(receive(), /The process died/);
    isFailing = false;
    await receive();
    await receive();
    assert.deepEqual(asked, [null, null, '42']);
  });

  it('a provider is told our address until it takes it, and asked for news again and again', async () => {
    await using app = await startTestApp(engine);
    const logger = createLogger('silent');
    const heard = Promise.withResolvers<void>();
    const calls: string[] = [];
    const provider = {
      kind: { provider: 'telegram' },
      start: async () => {
        if (calls.push('start') === 1) throw new Error('It does not answer.');
      },
      receive: async () => {
        if (calls.push('receive') > 3) heard.resolve();
        return { events: [], cursor: null };
      },
    };
    // No pause between two rounds.
    const clock = { now: () => app.clock.now(), sleepUntil: async () => undefined };
    const parts = { db: app.db, clock, logger, schema: new SchemaWatch(logger), events: { handle: async () => 0 } };
    const updates = new ChannelUpdates({ ...parts, providers: [provider] } as never);
    updates.start();
    await heard.promise;
    await updates.stop();
    assert.deepEqual(calls.slice(0, 4), ['start', 'start', 'receive', 'receive']);
  });

  it('Pushover rings at stage 2 until it is acknowledged, which ends the fall to the next tier', async () => {
    await using opened = await openWithWebhook(engine, await PushoverRig.start());
    const { scenario, rig, hook, reachStageTwo, confirmedAt } = opened;
    const task = await reachStageTwo();
    const [[receipt, alarm] = ['', undefined]] = rig.alarms;
    assert.ok(alarm);
    assert.equal(alarm.form.get('retry'), '60');
    const refs = (await scenario.deliveries(task)).map(({ ref }) => ref);
    assert.ok(refs.includes(receipt));
    // The callback alone proves nothing: Pushover is asked, and says that nobody has acknowledged.
    assert.equal(await rig.report(receipt), 200);
    assert.equal(await confirmedAt(task), null);
    alarm.state = 'acknowledged';
    const callback = alarm.form.get('callback') ?? '';
    assert.equal(await rig.report(receipt, `${callback.slice(0, -1)}x`), 401);
    assert.equal(await confirmedAt(task), null);
    assert.equal(await rig.report(receipt), 200);
    assert.notEqual(await confirmedAt(task), null);
    await scenario.clock.advance('20m');
    assert.equal(hook.requests.length, 0);
  });

  it('an alarm of Pushover that nobody acknowledges falls to the next tier', async () => {
    await using opened = await openWithWebhook(engine, await PushoverRig.start());
    await opened.reachStageTwo();
    assert.equal(opened.hook.requests.length, 0);
    await opened.scenario.clock.advance('10m');
    assert.equal(opened.hook.requests.length, 1);
  });

  it('an alarm of Pushover stops when the task is done', async () => {
    await using opened = await openWithWebhook(engine, await PushoverRig.start());
    const { scenario, rig } = opened;
    const task = await opened.reachStageTwo();
    await scenario.ada.ask('POST', `/v1/tasks/${task}/complete`, {});
    await scenario.app.engine?.settled();
    assert.deepEqual(
      [...rig.alarms.values()].map(({ state }) => state),
      ['cancelled'],
    );
  });

  it('a link to Pushover connects only in the browser that asked for it, and only once', async () => {
    const rig = await PushoverRig.start();
    await using scenario = await ChannelScenario.open(engine, rig);
    const { id, back, cookie } = await rig.begin(scenario.ada);
    const other = await rig.begin(await createPerson(scenario.app));
    for (const wrong of [undefined, other.cookie, 'crescendo-link=x']) {
      assert.equal((await rig.comeBack(back, wrong))?.statusCode, 401);
    }
    assert.equal((await rig.comeBack(back, cookie, ''))?.statusCode, 409);
    assert.equal((await scenario.channel(id)).state, 'unconfirmed');
    assert.equal((await rig.comeBack(back, cookie))?.statusCode, 200);
    assert.equal((await verify(scenario.ada, id, rig.lastCode)).status, 200);
    assert.equal((await scenario.channel(id)).state, 'working');
    // The code is spent: another key does not take the place of the first.
    const { label } = await scenario.channel(id);
    assert.equal((await rig.comeBack(back, cookie, 'v'.repeat(30)))?.statusCode, 410);
    assert.equal((await scenario.channel(id)).label, label);
  });

  it('a text message is for stage 2 and tier 1 by default, and its delivery ends the fall', async () => {
    await using opened = await openWithWebhook(engine, await SmsRig.start(), { tier: undefined, stages: undefined });
    const { scenario, rig, hook, id, confirmedAt } = opened;
    const { tier, stages } = await scenario.channel(id);
    assert.deepEqual([tier, stages], [1, [2]]);
    const task = await opened.reachStageTwo();
    assert.equal(rig.take().length, 1);
    const MessageSid = rig.sidOf(rig.server.requests.length);
    const delivered = { MessageSid, MessageStatus: 'delivered', To: SmsRig.number };
    // Signed with another token, for another URL, or with a field that was not signed.
    assert.equal(await rig.report(delivered, 'x'.repeat(32)), 401);
    assert.equal(await rig.report(delivered, undefined, 'https://elsewhere.example/v1/hooks/sms'), 401);
    // Strangers cannot make it read a form with thousands of fields, signed or not.
    const fields = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, '']));
    assert.equal(await rig.report(fields), 413);
    assert.equal(await rig.report({ MessageSid, MessageStatus: 'sent' }), 200);
    assert.equal(await confirmedAt(task), null);
    assert.equal(await rig.report(delivered), 200);
    // Reports come in any order.
    assert.equal(await rig.report({ MessageSid, MessageStatus: 'undelivered', ErrorCode: '30003' }), 200);
    const reported = scenario.app.db.selectFrom('deliveries').select(['status', 'reason']).where('target_id', '=', id);
    assert.deepEqual(await reported.execute(), [{ status: 'sent', reason: null }]);
    await scenario.clock.advance('20m');
    assert.equal(hook.requests.length, 0);
  });

  it('a text message that the network could not deliver falls to the next tier at once', async () => {
    for (const ErrorCode of ['30003', '30008']) {
      await using opened = await openWithWebhook(engine, await SmsRig.start());
      const { scenario, rig, hook, id } = opened;
      await opened.reachStageTwo();
      const MessageSid = rig.sidOf(rig.server.requests.length);
      assert.equal(hook.requests.length, 0);
      assert.equal(await rig.report({ MessageSid, MessageStatus: 'undelivered', ErrorCode }), 200);
      await scenario.app.engine?.settled();
      await scenario.clock.advance('1s');
      assert.equal(hook.requests.length, 1);
      // The phone may have been off: the channel stays.
      const { state, reason } = await scenario.channel(id);
      assert.deepEqual([state, reason], ['working', `sms_${ErrorCode}`]);
    }
  });

  it('STOP as a reply ends the text messages to this number, and other replies do not', async () => {
    const rig = await SmsRig.start();
    await using scenario = await ChannelScenario.open(engine, rig);
    const id = await rig.connect(scenario.ada);
    // A family shares the phone.
    const bob = await createPerson(scenario.app);
    const his = await rig.connect(bob);
    const reply = { MessageSid: 'SM1', From: SmsRig.number };
    assert.equal(await rig.report({ ...reply, Body: 'who is this?' }), 200);
    assert.equal(await rig.report({ ...reply, From: '+447700900999', Body: 'STOP' }), 200);
    assert.equal((await scenario.channel(id)).state, 'working');
    assert.equal(await rig.report({ ...reply, Body: ' Stop ' }), 200);
    const { state, problem } = await scenario.channel(id);
    assert.equal(state, 'needs_attention');
    assert.match(problem, /START/);
    const [other] = (await bob.ask('GET', '/v1/channels')).body.data.channels;
    assert.deepEqual([other.id, other.state], [his, 'needs_attention']);
    await scenario.due();
    assert.deepEqual(rig.take(), []);
  });

  it('a number gets five text messages in a quarter of an hour, and then the next tier does', async () => {
    await using opened = await openWithWebhook(engine, await SmsRig.start(), { stages: [0] });
    const { scenario, rig, hook } = opened;
    const { ada } = scenario;
    const [webhook] = (await ada.ask('GET', '/v1/channels')).body.data.channels.slice(-1);
    await ada.ask('PATCH', `/v1/channels/${webhook.id}`, { stages: [0] });
    await scenario.clock.advance('59m');
    for (let count = 0; count < 6; count += 1) await scenario.create({ title: `task ${count}` });
    await scenario.clock.advance('1m');
    assert.equal(rig.take().length, 5);
    assert.equal(hook.requests.length, 1);
    await scenario.create({ title: 'later', due_at: '2026-03-02T10:16:00Z' });
    await scenario.clock.advance('16m');
    assert.equal(rig.take().length, 1);
  });

  it('the segments of a day are capped over all accounts, and what was refused does not count', async () => {
    await using scenario = await ChannelScenario.open(engine, await SmsRig.start(), { SMS_SEGMENTS_PER_DAY: '4' });
    const { rig, ada, clock } = scenario;
    const id = await rig.connect(ada);
    const test = async () => (await ada.ask('POST', `/v1/channels/${id}/test`)).body.data;
    rig.refuse({ name: '400 21612', means: 'rejected' }, 2);
    for (const reason of ['http_400', 'http_400', null, null]) assert.equal((await test()).reason, reason);
    // One segment is left: too little for this title, which is not GSM-7, and still there afterwards.
    const task = await scenario.due({ title: 'Принять таблетки' });
    assert.equal((await scenario.deliveries(task))[0]?.reason, 'spending_cap');
    await ada.ask('POST', `/v1/tasks/${task}/complete`, {});
    for (const reason of [null, 'spending_cap']) assert.equal((await test()).reason, reason);
    const bob = await createPerson(scenario.app);
    const { made } = await create(bob, { provider: 'sms', fields: { number: '+447700900777' } });
    assert.match(made.sent ?? '', /Enough codes/);
    assert.equal(rig.server.requests.length, 4);
    await clock.advance('1d');
    assert.equal((await test()).status, 'sent');
  });

  it('a server of Apprise that stores nothing under the key is not confirmed', async () => {
    const rig = await AppriseRig.start();
    await using scenario = await ChannelScenario.open(engine, rig);
    const url = rig.server.origin;
    const { id, made } = await create(scenario.ada, { provider: 'apprise', fields: { url, key: 'nobody', tag: 'x' } });
    assert.match(made.sent ?? '', /nothing was sent/);
    assert.equal((await scenario.channel(id)).state, 'unconfirmed');
    for (const fields of [
      { url, key: 'a/../b', tag: 'x' },
      { url, key: 'a', tag: 'x,y' },
      { url: `${url}/?to=x`, key: 'a', tag: 'x' },
      { url: 'http://127.0.0.1:1', key: 'a', tag: 'x' },
    ]) {
      const answer = await scenario.ada.ask('POST', '/v1/channels', { provider: 'apprise', fields });
      assert.equal(answer.status, 422, JSON.stringify(fields));
    }
  });
});
