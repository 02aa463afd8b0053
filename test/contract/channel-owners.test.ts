/** A channel, its confirmation and its links belong to its owner alone, whatever strangers and other accounts do. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { create, verify } from '../support/channel-rig.ts';
import { EmailRig, NtfyRig, WebhookRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { onEveryEngine } from '../support/engines.ts';
import { HttpRecorder } from '../support/http-recorder.ts';
import { createPerson, type Person, renewSignIn } from '../support/people.ts';
import { PROVIDER_RIGS, SmsRig } from '../support/provider-rigs.ts';
import type { Answer } from '../support/test-app.ts';

const STRANGER = 'stranger@elsewhere.test';

const codeOf = ({ body }: Answer): string => body.error.split(':')[0];
const refusalOf = (answer: Answer) => [answer.status, codeOf(answer)];

const mailsTo = ({ catcher }: EmailRig, email: string) => catcher.mails.filter(({ to }) => to.includes(email));
const lastCode = (rig: EmailRig, email: string) =>
  /Your code is (\d{6})/.exec(mailsTo(rig, email).at(-1)?.raw ?? '')?.[1] ?? '';

const addMail = (person: Person, email: string) =>
  person.ask('POST', '/v1/channels', { provider: 'email', fields: { email } });
const moveTo = (person: Person, id: string, fields: object) => person.ask('PATCH', `/v1/channels/${id}`, { fields });

onEveryEngine((engine, it) => {
  test('a code confirms no address but the one that it was sent to', async () => {
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start());
    const { rig, ada, app } = scenario;
    const { id } = await create(ada, { provider: 'email', fields: { email: 'own@example.org' } });
    const code = lastCode(rig, 'own@example.org');
    const stored = await app.db.selectFrom('channel_codes').selectAll().executeTakeFirstOrThrow();
    assert.equal((await moveTo(ada, id, { email: STRANGER })).status, 200);
    const sent = await app.db.selectFrom('channel_codes').selectAll().executeTakeFirstOrThrow();
    // As if the request for the first code had stored it late.
    await app.db.updateTable('channel_codes').set(stored).execute();
    assert.deepEqual(refusalOf(await verify(ada, id, code)), [403, 'wrong_channel_code']);
    assert.equal((await scenario.channel(id)).state, 'unconfirmed');
    await app.db.updateTable('channel_codes').set(sent).execute();
    assert.equal((await verify(ada, id, lastCode(rig, STRANGER))).status, 200);
  });

  it('an address that may not be asked to confirm is not stored, and the channel keeps the one it has', async () => {
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start());
    const { rig, ada } = scenario;
    const { id } = await create(ada, { provider: 'email', fields: { email: 'own0@example.org' } });
    for (let count = 1; count < 10; count += 1) {
      assert.equal((await moveTo(ada, id, { email: `own${count}@example.org` })).status, 200);
    }
    const { label } = await scenario.channel(id);
    assert.equal((await moveTo(ada, id, { email: STRANGER })).status, 429);
    assert.equal((await addMail(ada, STRANGER)).status, 429);
    assert.equal((await verify(ada, id, lastCode(rig, 'own9@example.org'))).status, 200);
    const channel = await scenario.channel(id);
    assert.deepEqual([channel.state, channel.label], ['working', label]);
    // A channel in use stays in use, too.
    assert.equal((await moveTo(ada, id, { email: STRANGER })).status, 429);
    assert.equal((await scenario.channel(id)).state, 'working');
    assert.equal((await ada.ask('GET', '/v1/channels')).body.data.channels.length, 1);
    assert.deepEqual(mailsTo(rig, STRANGER), []);
  });

  it('links that were sent to an earlier address do nothing once the channel has another', async () => {
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start());
    const { rig, ada, clock } = scenario;
    const { id } = await create(ada, { provider: 'email', fields: { email: 'own@example.org' } });
    assert.equal((await verify(ada, id, lastCode(rig, 'own@example.org'))).status, 200);
    const pageOf = () => rig.take().at(-1)?.page ?? '';
    const press = async (page: string, action: string) => (await scenario.press(page, action)).status;
    await scenario.due();
    // Mails begin with stage 1.
    await clock.advance('15m');
    const earlier = pageOf();
    // As while it is being sent: the date of its delivery is the end of the lease.
    const next_attempt_at = new Date(clock.now().getTime() + 32_000);
    await scenario.app.db.updateTable('deliveries').set({ next_attempt_at }).execute();
    await renewSignIn(scenario.app, ada);
    await moveTo(ada, id, { email: 'new@example.org' });
    assert.equal(await press(earlier, 'done'), 410);
    assert.equal((await verify(ada, id, lastCode(rig, 'new@example.org'))).status, 200);
    for (const action of ['done', 'snooze', 'stop']) assert.equal(await press(earlier, action), 410, action);
    await clock.advance('15m');
    assert.equal((await scenario.channel(id)).state, 'working');
    assert.equal(await press(pageOf(), 'done'), 200);
  });

  test('a code that is entered while the address changes confirms no other address', async () => {
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start());
    const { rig, app } = scenario;
    for (let round = 0; round < 6; round += 1) {
      const eve = await createPerson(app);
      const own = `own${round}@example.org`;
      const { id } = await create(eve, { provider: 'email', fields: { email: own } });
      const code = lastCode(rig, own);
      await Promise.all([moveTo(eve, id, { email: `x${round}@elsewhere.test` }), verify(eve, id, code)]);
      const [channel] = (await eve.ask('GET', '/v1/channels')).body.data.channels;
      assert.deepEqual([channel.state, /elsewhere/.test(channel.label)], ['unconfirmed', true]);
    }
  });

  test('a server that returns its challenge confirms no other server that the channel was changed to meanwhile', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada } = scenario;
    const { id } = await create(ada, { provider: 'webhook', fields: { url: `${rig.server.origin}/own` } });
    const release = rig.server.faults.hold();
    const arrived = rig.server.nextRequest();
    const verified = verify(ada, id);
    await arrived;
    assert.equal((await moveTo(ada, id, { url: 'https://example.org/other', secret: '' })).status, 200);
    release();
    assert.deepEqual(refusalOf(await verified), [409, 'channel_not_reached']);
    assert.equal((await scenario.channel(id)).state, 'unconfirmed');
  });

  it('a channel cannot be changed to the address of another one, nor lose its own by that', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { ada } = scenario;
    const url = 'https://example.org/first';
    await create(ada, { provider: 'webhook', fields: { url } });
    const { id } = await create(ada, { provider: 'webhook', fields: { url: 'https://example.org/second' } });
    const before = await scenario.channel(id);
    assert.deepEqual(refusalOf(await moveTo(ada, id, { url, secret: '' })), [409, 'channel_known']);
    assert.deepEqual(await scenario.channel(id), before);
  });

  it("the operator's ntfy token writes to a topic that a person named only once it is confirmed", async () => {
    const rig = await NtfyRig.start();
    await using server = await HttpRecorder.start(({ body }) => ({ status: 200, body: JSON.parse(body) }));
    const settings = { NTFY_SERVER: server.origin, NTFY_TOKEN: 'tk_operator' };
    await using scenario = await ChannelScenario.open(engine, rig, settings);
    const { ada } = scenario;
    const tokens = () => server.requests.splice(0).map(({ headers }) => headers.authorization);
    const { id } = await create(ada, { provider: 'ntfy', fields: { topic: 'alerts' } });
    const message = JSON.parse(server.requests[0]?.body ?? '{}');
    assert.deepEqual(tokens(), [undefined]);
    assert.equal((await rig.press(ada, new URL(message.actions[0].url).pathname.concat('?do=confirm'))).status, 200);
    assert.equal((await ada.ask('POST', `/v1/channels/${id}/test`)).body.data.status, 'sent');
    await create(ada, { provider: 'ntfy' });
    assert.deepEqual(tokens(), ['Bearer tk_operator', 'Bearer tk_operator']);
  });

  it('the links of a removed channel show no title and do nothing', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada, app } = scenario;
    const id = await rig.connect(ada, { private_title: true });
    const task = await scenario.due();
    const page = rig.take()[0]?.page ?? '';
    const statusOf = async () => (await ada.ask('GET', `/v1/tasks/${task}`)).body.data.status;
    await ada.ask('DELETE', `/v1/channels/${id}`);
    const shown = await app.fastify.inject({ url: page, headers: { accept: 'text/html' } });
    assert.equal(shown.statusCode, 410);
    assert.doesNotMatch(shown.body, /pills/);
    for (const action of ['done', 'snooze', 'seen', 'stop']) {
      const { status, body } = await scenario.press(page, action);
      assert.deepEqual([status, body.data.state], [410, 'expired'], action);
    }
    assert.equal(await statusOf(), 'open');
    await ada.ask('POST', `/v1/tasks/${task}/complete`, {});
    assert.equal((await scenario.press(page, 'undo')).status, 410);
    assert.equal(await statusOf(), 'done');
  });

  it('a link shows the title that its message showed, and never another one', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada, app, clock } = scenario;
    const id = await rig.connect(ada, { private_title: true });
    const task = await scenario.due();
    const rename = (title: string) => ada.ask('PATCH', `/v1/tasks/${task}`, { title });
    const shown = async (page: string, session?: string) => {
      const headers = {
        accept: 'text/html',
        ...(session && { cookie: `crescendo-session=${session}; __Host-crescendo-session=${session}` }),
      };
      const look = await app.fastify.inject({ url: page, headers });
      const act = await app.fastify.inject({ method: 'POST', url: `${page}?do=seen`, headers });
      assert.deepEqual([look.statusCode, act.statusCode], [200, 200]);
      // The owner, signed in, sees the task as it is now.
      assert.ok(look.body.includes(`href="/app/tasks/${task}"`));
      const titleOf = (body: string) => /<strong>(.*)<\/strong>/.exec(body)?.[1];
      assert.equal(titleOf(look.body), titleOf(act.body));
      return titleOf(look.body);
    };
    const hidden = rig.take()[0]?.page ?? '';
    const code = (await scenario.taskCodes())[task];
    assert.ok(code);
    assert.equal(await shown(hidden), `Task ${code}`);
    const grace = await createPerson(app, 'grace@example.org');
    assert.equal(await shown(hidden, grace.sessionToken), `Task ${code}`, 'another account');
    assert.equal(await shown(hidden, ada.sessionToken), 'pills', 'the owner, signed in');
    await ada.ask('PATCH', `/v1/channels/${id}`, { private_title: false });
    assert.equal(await shown(hidden), undefined);
    await clock.advance('15m');
    const open = rig.take()[0]?.page ?? '';
    assert.equal(await shown(open), 'pills');
    await rename('the test result');
    assert.deepEqual([await shown(hidden), await shown(open)], [undefined, undefined]);
    await clock.advance('15m');
    assert.equal(await shown(rig.take()[0]?.page ?? ''), 'the test result');
    assert.equal(await shown(hidden, ada.sessionToken), 'the test result');
    await rename('pills');
    assert.deepEqual([await shown(hidden), await shown(open)], [undefined, 'pills']);
  });

  it('a link shows no more of a long title than its message, whatever the provider cuts', async () => {
    const beginningOf = (text: string | undefined) => text?.replace(/(?:…|\.\.)$/, '').trim();
    for (const { start } of [...PROVIDER_RIGS, { start: () => NtfyRig.start() }]) {
      await using scenario = await ChannelScenario.open(engine, await start());
      const { rig, ada, app } = scenario;
      await rig.connect(ada);
      for (const title of ['pills', `😀 ${'ж'.repeat(50)}  ${'ё'.repeat(90)} THE END`]) {
        const task = await scenario.due({ title });
        const [message] = rig.take();
        const shown = async () => {
          const { body } = await app.fastify.inject({ url: message?.page ?? '', headers: { accept: 'text/html' } });
          return /<strong>(.*)<\/strong>/.exec(body)?.[1];
        };
        const isCut = title !== 'pills';
        assert.equal(message?.title === title, !isCut);
        const cheap = (text: string | undefined) => text?.replace('😀', '').replace('  ', ' ').trim();
        assert.equal(cheap(beginningOf(await shown())), cheap(beginningOf(message?.title)), rig.provider);
        assert.equal((await shown())?.endsWith('…'), isCut);
        await ada.ask('PATCH', `/v1/tasks/${task}`, { title: `${title}!` });
        assert.equal((await shown()) === undefined, !isCut, 'only the end changed, which the message did not show');
        await ada.ask('POST', `/v1/tasks/${task}/drop`);
      }
    }
  });

  it('Undo by a link takes back what that link did, and nothing that was done in the app or by another link', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada, clock } = scenario;
    await rig.connect(ada);
    const task = await scenario.due();
    await clock.advance('15m');
    const [first = '', second = ''] = rig.take().map(({ page }) => page);
    const press = async (page: string, action: string) => (await scenario.press(page, action)).body.data.state;
    await ada.ask('POST', `/v1/tasks/${task}/complete`, {});
    // Pressing Done on what is done already is not an action of the link.
    assert.equal(await press(first, 'done'), 'done');
    assert.equal(await press(first, 'undo'), 'too_late_to_undo');
    await ada.ask('POST', `/v1/tasks/${task}/reopen`);
    assert.equal(await press(first, 'done'), 'done');
    assert.equal(await press(second, 'undo'), 'too_late_to_undo');
    assert.equal(await press(first, 'undo'), 'undone');
    // In the app, the owner takes back what a link did.
    assert.equal(await press(second, 'done'), 'done');
    assert.equal((await ada.ask('POST', `/v1/tasks/${task}/reopen`)).body.data.status, 'open');
  });

  it('strangers who ask for codes to an address do not keep its owner from confirming it', async () => {
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start());
    const { ada, app } = scenario;
    const email = `home+${ada.email}`;
    const shared = ada.email.replace('@', '+nudges@');
    const pester = async (address: string) => {
      const eve = await createPerson(app);
      const { id } = await create(eve, { provider: 'email', fields: { email: address } });
      for (let count = 1; count < 5; count += 1) assert.equal((await verify(eve, id)).status, 200);
      assert.equal((await verify(eve, id)).status, 429);
    };
    await pester(email);
    assert.equal((await addMail(ada, email)).body.data.sent, 'sent');
    // Over all accounts there is an end, except for who signs in with the mailbox.
    for (let account = 0; account < 6; account += 1) await pester(shared);
    assert.equal((await addMail(await createPerson(app), shared)).status, 429);
    assert.equal((await addMail(ada, shared)).body.data.sent, 'sent');
  });

  it('made-up confirm links store nothing', async () => {
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start());
    const { ada, app } = scenario;
    const { id } = await create(ada, { provider: 'email', fields: { email: 'own@example.org' } });
    const counters = async () => (await app.db.selectFrom('throttles').select('key').execute()).length;
    const before = await counters();
    for (let count = 0; count < 5; count += 1) {
      const path = `/a/c${randomBytes(16).toString('base64url')}123456`;
      assert.equal((await scenario.press(path, 'confirm')).status, 410);
    }
    assert.equal(await counters(), before);
    // For a channel that exists, there is one counter, whatever the codes.
    const known = Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
    for (const code of ['000001', '000002', '000003']) await scenario.press(`/a/c${known}${code}`, 'confirm');
    assert.equal(await counters(), before + 1);
  });

  it('an account sends a few test messages in a minute, and thirty in a day', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada, app, clock } = scenario;
    const id = await rig.connect(ada);
    const test = async () => (await ada.ask('POST', `/v1/channels/${id}/test`)).status;
    for (let minute = 0; minute < 5; minute += 1) {
      for (let count = 0; count < 6; count += 1) assert.equal(await test(), 200);
      assert.equal(await test(), 429);
      await clock.advance('1m');
    }
    assert.equal(await test(), 429);
    await clock.advance('24h');
    await renewSignIn(app, ada);
    assert.equal(await test(), 200);
  });

  it('two accounts cannot use up the text messages of the others', async () => {
    // Of these, five are for codes.
    await using scenario = await ChannelScenario.open(engine, await SmsRig.start(), { SMS_SEGMENTS_PER_DAY: '25' });
    const { rig, app, clock } = scenario;
    const people = [scenario.ada, await createPerson(app), await createPerson(app)];
    await clock.advance('25h');
    let number = 447_700_900_100;
    const spend = async (person: Person) => {
      number += 1;
      await renewSignIn(app, person);
      const { id } = await create(person, { provider: 'sms', fields: { number: `+${number}` } });
      await verify(person, id, /Your code is (\d{6})/.exec(rig.texts.at(-1) ?? '')?.[1]);
      const before = rig.server.requests.length;
      for (let round = 0; round < 3; round += 1) {
        for (let message = 0; message < 5; message += 1) await person.ask('POST', `/v1/channels/${id}/test`);
        await clock.advance('16m');
      }
      return rig.server.requests.length - before;
    };
    const [first, second, third] = people as [Person, Person, Person];
    assert.equal(await spend(first), 10);
    assert.equal(await spend(second), 5);
    // What is left is for those who have sent little.
    assert.equal(await spend(third), 4);
  });
});
