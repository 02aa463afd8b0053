/** Nobody makes the service send to an address that is not theirs, and nobody uses up what others need for that. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { hashToken } from '../../src/lib/secrets.ts';
import { LIMITS, type Limit } from '../../src/limits/limit-table.ts';
import type { Resolve } from '../../src/outbound/name-resolver.ts';
import { create, echo, verify } from '../support/channel-rig.ts';
import { WebhookRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { onEveryEngine } from '../support/engines.ts';
import type { HttpRecorder } from '../support/http-recorder.ts';
import { createPerson, type Person, renewSignIn } from '../support/people.ts';
import { PushoverRig } from '../support/provider-rigs.ts';
import { TelegramRig } from '../support/telegram-rig.ts';

const addWebhook = (person: Person, url: string) =>
  person.ask('POST', '/v1/channels', { provider: 'webhook', fields: { url } });

/** What the receiver of a webhook is asked to return, or to show. */
const confirmationOf = ({ requests }: HttpRecorder): { challenge: string; code: string } =>
  JSON.parse(requests.at(-1)?.body ?? '{}').data;

/** As a former release wrote it, which took an answer of the server, or the return of the browser, for a proof. */
const confirmFormerly = ({ app }: ChannelScenario, id: string, proven_by: 'answer' | 'return') =>
  app.db.updateTable('channels').set({ verified_at: app.clock.now(), proven_by }).where('id', '=', id).execute();

/** As if as many had been counted. */
async function setCount({ app }: ChannelScenario, limit: Limit, subject: string, count: number) {
  const key = hashToken(`${limit.name}: ${subject}`);
  const row = { key, count, resets_at: new Date(app.clock.now().getTime() + limit.windowMs) };
  await app.db.deleteFrom('throttles').where('key', '=', key).execute();
  await app.db.insertInto('throttles').values(row).execute();
}

/** The result of a nudge that is due in a minute. */
async function nudge(scenario: ChannelScenario, person: Person): Promise<string> {
  const { app, clock } = scenario;
  const due_at = new Date(clock.now().getTime() + 60_000).toISOString();
  const task = { title: 'pills', due_at, has_time: true, mode: 'notify_once' };
  const { body } = await person.ask('POST', '/v1/tasks', task);
  await app.engine?.settled();
  await clock.advance('1m');
  return (await scenario.deliveries(body.data.id))[0]?.reason ?? 'sent';
}

/** No name leads anywhere. */
const resolve: Resolve = (_name, _options, done) =>
  done(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), []);

onEveryEngine((engine, it) => {
  it('a key that a browser brings back from Pushover is used only after its code was typed in', async () => {
    await using scenario = await ChannelScenario.open(engine, await PushoverRig.start());
    const { rig, ada } = scenario;
    const victim = 'v'.repeat(30);
    const { id, back, cookie } = await rig.begin(ada);
    assert.equal((await rig.comeBack(back, cookie, victim))?.statusCode, 200);
    assert.equal((await scenario.channel(id)).state, 'unconfirmed');
    assert.equal((await ada.ask('POST', `/v1/channels/${id}/test`)).body.data.reason, 'not_confirmed');
    await scenario.due();
    const [message, ...others] = rig.server.requests.map(({ body }) => new URLSearchParams(body));
    assert.deepEqual([message?.get('user'), others.length], [victim, 0], 'it gets its code and nothing else');
    await renewSignIn(scenario.app, ada);
    assert.equal((await verify(ada, id)).body.data.confirmation, 'code');
    const code = rig.lastCode;
    assert.equal((await verify(ada, id, code === '000000' ? '000001' : '000000')).status, 403);
    assert.equal((await verify(ada, id, code)).body.data.channel.state, 'working');
  });

  it('few codes go to a key of Pushover, however often somebody comes back with it', async () => {
    await using scenario = await ChannelScenario.open(engine, await PushoverRig.start());
    const { rig, app } = scenario;
    for (let account = 0; account < 2; account += 1) {
      const eve = await createPerson(app);
      for (let count = 0; count < 5; count += 1) {
        const { id, back, cookie } = await rig.begin(eve);
        await rig.comeBack(back, cookie);
        await eve.ask('DELETE', `/v1/channels/${id}`);
      }
    }
    assert.equal(rig.server.requests.length, 10, 'five of each account');
  });

  it('a server that accepts everything, or sends back what it gets, confirms no webhook', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada } = scenario;
    const { id } = await create(ada, { provider: 'webhook', fields: { url: rig.server.origin } });
    for (const answer of ['<h1>Welcome</h1>', undefined]) {
      rig.server.respondTo = ({ body }) => ({ status: 200, body: answer ?? body });
      assert.equal((await verify(ada, id)).body.data.confirmation, 'code');
    }
    assert.equal((await ada.ask('POST', `/v1/channels/${id}/test`)).body.data.reason, 'not_confirmed');
    assert.equal((await scenario.channel(id)).state, 'unconfirmed');
  });

  it('a server that nobody has proven gets few requests, and no crowd keeps the others from it', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start(), {}, { resolve });
    const { app, clock, rig, ada } = scenario;
    const host = 'hooks.example';
    /** How many requests were made. They fail, because there is no such server. */
    const pester = async (person: Person, times: number) => {
      const { id } = await create(person, { provider: 'webhook', fields: { url: `https://${host}` } });
      let made = 0;
      for (let count = 0; count < times; count += 1) made += (await verify(person, id)).status === 409 ? 1 : 0;
      return made;
    };
    // Another port is the same host.
    const addNtfy = (person: Person) =>
      person.ask('POST', '/v1/channels', {
        provider: 'ntfy',
        fields: { server: `https://${host}:8443`, topic: 'mine' },
      });
    const setHour = (count: number) => setCount(scenario, LIMITS.unprovenToHostPerHour, host, count);
    assert.equal(await pester(await createPerson(app), 11), 10, 'an account has its share of an hour');
    await setHour(45);
    assert.equal(await pester(await createPerson(app), 6), 3, 'the last ones are for accounts that asked little');
    assert.equal((await addNtfy(await createPerson(app))).status, 200);
    await setHour(60);
    for (let count = 0; count < 6; count += 1) assert.equal((await addNtfy(ada)).status, 429);
    assert.equal(await pester(ada, 1), 0);
    await clock.advance('1h');
    await renewSignIn(app, ada);
    assert.equal((await addNtfy(ada)).status, 200, 'what the host refused used up nothing of her own');
    // The operator has named this one.
    await setCount(scenario, LIMITS.unprovenToHostPerHour, '127.0.0.1', 60);
    const { id } = await create(ada, { provider: 'webhook', fields: { url: rig.server.origin } });
    assert.equal((await verify(ada, id)).status, 200);
  });

  it('a webhook is confirmed at once by the challenge, or else by the code that came with it', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada } = scenario;
    const add = async (path: string) =>
      (await addWebhook(ada, rig.server.origin + path)).body.data.channel.id as string;
    const stateOf = async (id: string) => {
      const { state, proven_by } = await scenario.channel(id);
      return [state, proven_by];
    };
    const answers = [(challenge: string) => ({ challenge }), (challenge: string) => `${challenge}\n`];
    for (const [index, answer] of answers.entries()) {
      rig.server.respondTo = ({ body }) => ({ status: 202, body: answer(JSON.parse(body).data.challenge) });
      const id = await add(`/echo/${index}`);
      assert.equal((await verify(ada, id)).body.data.confirmation, 'none');
      assert.deepEqual(await stateOf(id), ['working', 'echo']);
    }
    const wrong = [
      { body: { data: { challenge: 'x' } } },
      { body: (text: string) => ({ data: { challenge: text } }) },
      { body: (text: string) => `${text}x` },
      { body: (text: string) => `here it is: ${text}` },
    ];
    const id = await add('/mute');
    for (const { body: answer } of wrong) {
      rig.server.respondTo = ({ body }) => ({
        status: 200,
        body: typeof answer === 'function' ? answer(JSON.parse(body).data.challenge) : answer,
      });
      const { confirmation, sent } = (await verify(ada, id)).body.data;
      assert.deepEqual([confirmation, sent, ...(await stateOf(id))], ['code', 'sent', 'unconfirmed', null]);
    }
    const { code } = confirmationOf(rig.server);
    assert.match(code, /^\d{6}$/);
    assert.equal((await verify(ada, id, code === '000000' ? '000001' : '000000')).status, 403);
    assert.equal((await verify(ada, id, code)).status, 200);
    assert.deepEqual(await stateOf(id), ['working', 'code']);
  });

  it('a key of Pushover that only a browser confirmed goes on, within a bound, until its owner proves it', async () => {
    await using scenario = await ChannelScenario.open(engine, await PushoverRig.start());
    const { rig, ada, app, clock } = scenario;
    const id = await rig.connect(ada);
    await confirmFormerly(scenario, id, 'return');
    const { verified_at } = await scenario.channel(id);
    const key = `pushover ${PushoverRig.user}`;
    const dueTask = (person: Person) => nudge(scenario, person);
    assert.equal(await dueTask(ada), 'sent');
    const page = rig.take().at(-1)?.page ?? '';
    await setCount(scenario, LIMITS.unprovenNudgesOfAccount, `${ada.userId} ${key}`, 99);
    assert.deepEqual([await dueTask(ada), await dueTask(ada)], ['sent', 'not_proven']);
    const { state, problem } = await scenario.channel(id);
    assert.equal(state, 'needs_attention');
    assert.match(problem, /Confirm/);
    // What one account uses up is nothing that another needs.
    const bob = await createPerson(app);
    await confirmFormerly(scenario, await rig.connect(bob), 'return');
    await setCount(scenario, LIMITS.unprovenNudgesToHost, key, 900);
    assert.equal(await dueTask(bob), 'sent');
    await setCount(scenario, LIMITS.unprovenNudgesOfAccount, `${bob.userId} ${key}`, 60);
    assert.equal(await dueTask(bob), 'not_proven', 'the last ones are for accounts that sent little');
    await setCount(scenario, LIMITS.unprovenOfAccountPerHour, `${ada.userId} ${key}`, 10);
    assert.equal((await ada.ask('POST', `/v1/channels/${id}/test`)).status, 429);
    await clock.advance('1h');
    await renewSignIn(app, ada);
    assert.equal((await verify(ada, id)).body.data.confirmation, 'code');
    assert.equal((await verify(ada, id, rig.lastCode)).body.data.channel.proven_by, 'code');
    const channel = await scenario.channel(id);
    assert.deepEqual([channel.state, channel.verified_at], ['working', verified_at]);
    assert.equal((await scenario.press(page, 'done')).body.data.state, 'done', 'links of its messages still work');
    assert.equal(await dueTask(ada), 'sent', 'a proven address has no bound');
  });

  it('a webhook that any 2xx confirmed goes on without a bound on a host that the operator named', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada } = scenario;
    const { id } = await create(ada, { provider: 'webhook', fields: { url: rig.server.origin } });
    await confirmFormerly(scenario, id, 'answer');
    await setCount(scenario, LIMITS.unprovenNudgesOfAccount, `${ada.userId} 127.0.0.1`, 100);
    assert.equal(await nudge(scenario, ada), 'sent');
    rig.server.respondTo = echo;
    assert.equal((await verify(ada, id)).body.data.channel.proven_by, 'echo');
  });

  it('another spelling of a server is the same address, for every kind that has one', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { ada } = scenario;
    const kinds = [
      { provider: 'ntfy', fields: (url: string) => ({ server: url, topic: 'alerts' }) },
      { provider: 'apprise', fields: (url: string) => ({ url, key: 'family', tag: 'phone' }) },
      { provider: 'webhook', fields: (url: string) => ({ url }) },
    ];
    const spellings = ['https://LOCALHOST:1', 'https://localhost.:1/', 'https://localhost:01', 'https://loc%61lhost:1'];
    for (const { provider, fields } of kinds) {
      await create(ada, { provider, fields: fields('https://localhost:1') });
      for (const url of spellings) {
        const { status } = await ada.ask('POST', '/v1/channels', { provider, fields: fields(url) });
        assert.equal(status, 409, `${provider} ${url}`);
      }
    }
  });

  it('each of ten accounts with one chat connects it again, and keeps the channel that it has', async () => {
    await using scenario = await ChannelScenario.open(engine, await TelegramRig.start());
    const { rig, app, ada } = scenario;
    const id = await rig.connect(ada);
    const own = await app.db.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const others = await Promise.all(Array.from({ length: 9 }, () => createPerson(app)));
    const theirs = others.map(({ userId }) => ({ ...own, id: newId(), user_id: userId }));
    await app.db.insertInto('channels').values(theirs).execute();
    await rig.connect(ada);
    const { channels } = (await ada.ask('GET', '/v1/channels')).body.data;
    const shown = channels.map((channel: { id: string; state: string }) => [channel.id, channel.state]);
    assert.deepEqual(shown, [[id, 'working']]);
  });

  test('ten accounts can prove one address, and no more', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, app } = scenario;
    const people = await Promise.all(Array.from({ length: 12 }, () => createPerson(app)));
    const spellings = ['/home', '/h%6fme', '/home#x', '/./home'];
    const made = await Promise.all(
      people.map(async (person, index) => {
        const { body } = await addWebhook(person, rig.server.origin + spellings[index % spellings.length]);
        return { person, id: body.data.channel.id as string };
      }),
    );
    const answers = await Promise.all(made.map(({ person, id }) => verify(person, id)));
    const refused = answers.filter(({ status }) => status !== 200);
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.error.split(':')[0]]),
      Array(2).fill([409, 'channel_crowded']),
    );
    assert.equal(rig.server.requests.length, 12);
  });
});
