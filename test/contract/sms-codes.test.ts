/** Codes by text message cost money: nobody sends many, and nobody uses up the codes or the nudges of others. */
import assert from 'node:assert/strict';
import { hashToken } from '../../src/lib/secrets.ts';
import { create, verify } from '../support/channel-rig.ts';
import { BASE_URL, ChannelScenario } from '../support/channel-scenario.ts';
import { createDatabase, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson, type Person, personWith, renewSignIn } from '../support/people.ts';
import { SmsRig } from '../support/provider-rigs.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  it('throwaway accounts that ask for codes leave the text messages of confirmed numbers alone', async () => {
    const settings = { SMS_SEGMENTS_PER_DAY: '20', SMS_COUNTRIES: '+44' };
    await using scenario = await ChannelScenario.open(engine, await SmsRig.start(), settings);
    const { rig, ada, app, clock } = scenario;
    const id = await rig.connect(ada, { tier: 0 });
    const codes = () => rig.texts.filter((text) => /Your code is/.test(text)).length;
    const before = codes();
    for (let account = 0; account < 21; account += 1) {
      const eve = await createPerson(app);
      // Half of them ask for codes to her number.
      const number = account % 2 === 0 ? SmsRig.number : `+4477009011${10 + account}`;
      const { body } = await eve.ask('POST', '/v1/channels', { provider: 'sms', fields: { number } });
      for (let count = 0; count < 2; count += 1) await verify(eve, body.data?.channel.id);
    }
    assert.ok(codes() - before <= 4, `${codes() - before} codes`);
    for (let count = 0; count < 4; count += 1) {
      assert.equal((await ada.ask('POST', `/v1/channels/${id}/test`)).body.data.status, 'sent');
    }
    // A day later an account is old enough for what the young ones may not use.
    const old = await createPerson(app);
    await clock.advance('25h');
    await scenario.due({ due_at: clock.now().toISOString() });
    assert.ok(rig.take().length > 0);
    await renewSignIn(app, old);
    const { made } = await create(old, { provider: 'sms', fields: { number: '+447700900999' } });
    assert.equal(made.sent, 'sent');
  });

  it('old accounts cannot use up the codes by text message of the others', async () => {
    await using scenario = await ChannelScenario.open(engine, await SmsRig.start(), { SMS_SEGMENTS_PER_DAY: '100' });
    const { rig, app, clock } = scenario;
    const people = await Promise.all(Array.from({ length: 7 }, () => createPerson(app)));
    await clock.advance('25h');
    let number = 447_700_900_200;
    const askForCode = async (person: Person, remoteAddress: string) => {
      number += 1;
      const headers = { authorization: `Bearer ${person.sessionToken}` };
      const payload = { provider: 'sms', fields: { number: `+${number}` } };
      const { body } = await app.ask({ method: 'POST', url: '/v1/channels', headers, payload, remoteAddress });
      return body.data;
    };
    for (const person of people) await renewSignIn(app, person);
    const [ada, bob, ...eves] = people as [Person, Person, ...Person[]];
    for (const eve of eves) for (let count = 0; count < 5; count += 1) await askForCode(eve, '192.0.2.1');
    assert.equal(rig.texts.length, 4, 'from one network');
    await askForCode(ada, '198.51.100.1');
    const { channel } = await askForCode(ada, '198.51.100.1');
    const code = /Your code is (\d{6})/.exec(rig.texts.at(-1) ?? '')?.[1];
    assert.match((await askForCode(ada, '198.51.100.1')).sent, /two codes/);
    await verify(ada, channel.id, code);
    assert.equal((await askForCode(ada, '198.51.100.1')).sent, 'sent', 'she has confirmed one');
    const row = { count: 15, resets_at: new Date(clock.now().getTime() + 86_400_000) };
    await app.db.updateTable('throttles').set(row).where('key', '=', hashToken('sms code segments')).execute();
    assert.notEqual((await askForCode(ada, '198.51.100.1')).sent, 'sent');
    assert.equal(
      (await askForCode(bob, '203.0.113.1')).sent,
      'sent',
      'the last ones are for accounts that asked little',
    );
  });

  it('an account gets two codes a day by text message until it has confirmed one, and numbers abroad get none', async () => {
    await using scenario = await ChannelScenario.open(engine, await SmsRig.start(), { SMS_COUNTRIES: '+44,+353' });
    const { rig, ada, app, clock } = scenario;
    // What another kind of channel has confirmed says nothing of numbers.
    const webhook = channelRow(clock.now(), { user_id: ada.userId, provider: 'webhook' });
    await app.db.insertInto('channels').values(webhook).execute();
    const add = (person: Person, number: string) =>
      person.ask('POST', '/v1/channels', { provider: 'sms', fields: { number } });
    const abroad = await add(ada, '+33612345678');
    assert.deepEqual([abroad.status, abroad.body.detail[0].loc.at(-1)], [422, 'number']);
    assert.match(abroad.body.detail[0].msg, /\+44, \+353.*SMS_COUNTRIES/);
    const { body } = await add(ada, '+447700900200');
    assert.equal(body.data.sent, 'sent');
    assert.equal((await verify(ada, body.data.channel.id)).body.data.sent, 'sent');
    assert.match((await verify(ada, body.data.channel.id)).body.data.sent, /two codes/);
    assert.equal(rig.texts.length, 2);
    await clock.advance('24h');
    await renewSignIn(app, ada);
    assert.equal((await verify(ada, body.data.channel.id)).body.data.sent, 'sent');
  });

  it('a number that was confirmed before the operator named the countries gets its nudges, and no new code', async () => {
    await using closing = new AsyncDisposableStack();
    const database = closing.adopt(await createDatabase(engine), ({ drop }) => drop());
    const rig = closing.use(await SmsRig.start());
    const clock = new FakeClock();
    const start = (SMS_COUNTRIES: string) => {
      const settings = { BASE_URL, ...rig.settings, SMS_COUNTRIES };
      return startTestApp(engine, { clock, settings, databaseUrl: database.url });
    };
    const before = await start('+44');
    const { email, userId, sessionToken, ...person } = await createPerson(before);
    const confirmed = await rig.connect({ email, userId, sessionToken, ...person });
    const { body } = await person.ask('POST', '/v1/channels', {
      provider: 'sms',
      fields: { number: '+447700900200' },
    });
    await before[Symbol.asyncDispose]();
    const after = closing.use(await start('+49'));
    const ada = personWith(after, email, userId, sessionToken);
    assert.equal((await ada.ask('POST', `/v1/channels/${confirmed}/test`)).body.data.status, 'sent');
    const same = { number: SmsRig.number };
    assert.equal(
      (await ada.ask('PATCH', `/v1/channels/${confirmed}`, { fields: same })).body.data.confirmation,
      'none',
    );
    assert.match((await verify(ada, body.data.channel.id)).body.data.sent, /country/);
  });
});
