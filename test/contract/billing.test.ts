/** The webhook of the billing provider: authentication, validation, what is stored and what is deleted. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { sql } from 'kysely';
import { insertEvent } from '../../src/billing/billing.store.ts';
import type { Db } from '../../src/db/schema.ts';
import { lockUntilCommit } from '../../src/db/transact.ts';
import { Housekeeping } from '../../src/engine/housekeeping.ts';
import { newId } from '../../src/lib/ids.ts';
import { BILLING, bodyOf, castFor, SECRET, send, sendEvent, WEBHOOK, writtenPlan } from '../support/billing.ts';
import { billingYear, providerEvent } from '../support/billing-year.ts';
import { askDuring } from '../support/during-transaction.ts';
import { type EngineName, onEveryEngine, onEveryEngineWith, onlyOn } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const SIGNING = 'what the provider signs with';
const PAID = { store: 'STRIPE', entitlement_ids: ['pro'], expiration_at_ms: '2027-01-01' };

const purchase = (app_user_id: string, fields: object = {}) =>
  providerEvent('INITIAL_PURCHASE', '2026-03-01', { app_user_id, ...PAID, ...fields }, newId());

const codeOf = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error?.split(':')[0]];

const listEvents = (app: TestApp) => app.db.selectFrom('billing_events').selectAll().orderBy('received_at').execute();

const startBilling = (engine: EngineName) => startTestApp(engine, { settings: BILLING });

/** Whether the stored billing data still contains the text. */
async function isMentioned(app: TestApp, text: string): Promise<boolean> {
  const pattern = `%${text}%`;
  const { rows } = await sql`
    select id from billing_events where lower(payload) like ${pattern} or app_user_id like ${pattern}
    union all select app_user_id from billing_names where app_user_id like ${pattern}`.execute(app.db);
  return rows.length > 0;
}

onEveryEngineWith(startBilling, (it, test) => {
  it('a purchase sets the plan of the account until the purchase ends', async (app) => {
    const ada = await createPerson(app, 'ada@example.org');
    const event = purchase(ada.userId.toUpperCase(), { expiration_at_ms: '2026-03-02T10:00:00Z' });
    const { body } = await send(app, bodyOf(event));
    assert.deepEqual(body, { ok: true, data: { event_id: event.id, result: 'applied' }, error: null });
    const shown = async () => {
      const { plan, plan_expires_at } = (await ada.ask('GET', '/v1/me')).body.data;
      return [plan, plan_expires_at];
    };
    assert.deepEqual(await shown(), ['pro', '2026-03-02T10:00:00.000Z']);
    const { data } = (await ada.ask('PATCH', '/v1/me', { display_name: 'Ada' })).body;
    assert.deepEqual([data.plan, data.plan_expires_at], ['pro', '2026-03-02T10:00:00.000Z']);
    app.clock.set('2026-03-02T10:00:00Z');
    assert.deepEqual(await shown(), ['free', null]);
  });

  test('an event is stored once, unchanged, and has no effect when it is sent again', async (app) => {
    const { ada } = await castFor(app);
    const event = purchase(ada);
    const payload = `\ufeff ${JSON.stringify({ event: { ...event, subscriber_attributes: { n: '\0\ud800' } } }, null, 3)}\r\n`;
    assert.equal((await send(app, payload)).body.data.result, 'applied');
    const again = await send(app, bodyOf({ ...event, entitlement_ids: ['more'] }));
    assert.deepEqual([again.status, again.body.data.result], [200, 'repeated']);
    const [kept, ...others] = await listEvents(app);
    assert.deepEqual(others, []);
    assert.deepEqual(
      { ...kept, group_id: null },
      {
        id: event.id,
        type: 'INITIAL_PURCHASE',
        environment: 'PRODUCTION',
        app_user_id: ada,
        user_id: ada,
        event_at: new Date('2026-03-01T00:00:00Z'),
        received_at: app.clock.now(),
        group_id: null,
        payload,
      },
    );
    assert.deepEqual(await writtenPlan(app, ada), ['pro', '2027-01-01']);
  });

  test('an event waits for one that another process is just storing, and is not stored again', async (app) => {
    const { ada } = await castFor(app);
    const event = purchase(ada);
    const moments = { event_at: app.clock.now(), received_at: app.clock.now() };
    const names = { app_user_id: ada, group_id: null, user_id: ada };
    const { id, type } = event as { id: string; type: string };
    const store = async (trx: Db) => {
      await lockUntilCommit(trx, 'billing');
      await insertEvent(trx, { id, type, environment: null, payload: bodyOf(event), ...names, ...moments });
    };
    assert.equal(await askDuring(app.db, store, () => sendEvent(app, event)), 'repeated');
  });

  it('a call without the configured Authorization value is refused, whatever other credentials it has', async (app) => {
    const { sessionToken, userId } = await createPerson(app);
    const cookie = { cookie: `crescendo-session=${sessionToken}`, 'x-crescendo-app': '1' };
    const wrong: Record<string, string>[] = [
      {},
      cookie,
      { authorization: '' },
      { authorization: `Bearer ${sessionToken}` },
      { authorization: SECRET.slice(0, -1) },
      { authorization: `${SECRET}x` },
      { authorization: SECRET.toLowerCase() },
    ];
    for (const headers of wrong) {
      const answer = await app.ask({ method: 'POST', url: WEBHOOK, headers, payload: bodyOf(purchase(userId)) });
      assert.deepEqual(codeOf(answer), [401, 'wrong_billing_secret'], JSON.stringify(headers));
    }
    assert.deepEqual(await listEvents(app), []);
    assert.equal((await send(app, bodyOf(purchase(userId)), cookie)).status, 200);
  });

  it('an event without its required fields is refused and not stored', async (app) => {
    const [id, type] = ['1', 'RENEWAL'];
    const bodies: (string | Buffer)[] = [
      '',
      'null',
      '{}',
      '[]',
      '5',
      '"x"',
      '{',
      '{"event":null}',
      '{"event":[]}',
      '{"event":"x"}',
      '{"event":{}}',
      ...[{ id }, { type }, { id: 1, type }, { id, type: null }, { id: '', type }, { id, type: '' }].map(bodyOf),
      ...[
        { id: 'x'.repeat(256), type },
        { id: 'a\0', type },
        { id, type: '\ud800' },
      ].map(bodyOf),
      Buffer.from('7b22c3282b7d', 'hex'),
    ];
    for (const body of bodies) {
      const answer = await send(app, body);
      assert.equal(answer.status, 422, `${body}: ${JSON.stringify(answer.body)}`);
      assert.equal(answer.body.detail[0].loc[0], 'body');
    }
    const large = await send(app, bodyOf({ id, type, filling: 'x'.repeat(2 ** 20) }));
    assert.deepEqual(codeOf(large), [413, 'payload_too_large']);
    const form = await send(app, 'event=1', { 'content-type': 'application/x-www-form-urlencoded' });
    assert.deepEqual(codeOf(form), [415, 'unsupported_media_type']);
    assert.deepEqual(await listEvents(app), []);
  });

  it('an event is never refused for an optional field', async (app) => {
    const { ada } = await castFor(app);
    const odd: Record<string, unknown>[] = [
      ...[null, 5, {}, [], '\0', '\ud800', 'x'.repeat(5_000), "'; drop table users; --"].map((value) => ({
        app_user_id: value,
        aliases: value,
        original_app_user_id: value,
        environment: value,
        store: value,
        event_timestamp_ms: value,
        expiration_at_ms: value,
        entitlement_ids: value,
        transferred_to: value,
      })),
      { app_user_id: '00000000-0000-0000-0000-00000000000g' },
      { app_user_id: newId() },
      { event_timestamp_ms: -1e300, expiration_at_ms: 1e300, purchased_at_ms: 8.64e15 },
      { aliases: Array.from({ length: 5_000 }, (_, index) => `anon-${index}`) },
      { type: 'UNKNOWN_TYPE', __proto__: null, constructor: 1 },
    ];
    for (const [index, fields] of odd.entries()) {
      const body = JSON.stringify({ api_version: 1e300, event: { id: `${index}`, type: 'RENEWAL', ...fields } });
      const { status, body: answer } = await send(app, body.replace('1e+300', '1e400'));
      assert.deepEqual(
        [status, answer.data?.result],
        [200, 'recorded'],
        `${body.slice(0, 200)} ${JSON.stringify(answer)}`,
      );
    }
    assert.equal((await listEvents(app)).length, odd.length);
    const deep = `{"event":{"id":"deep","type":"RENEWAL","app_user_id":"${ada}","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`;
    assert.equal((await send(app, deep)).status, 200);
  });

  it('an event without a known account or of an unknown type is stored and logged in one line', async (app) => {
    const { ada } = await castFor(app);
    const lines = () => app.log.filter(({ billing }) => billing !== undefined);
    assert.equal(
      await sendEvent(app, purchase('somebody', { subscriber_attributes: { $email: 'secret' } })),
      'recorded',
    );
    assert.equal(await sendEvent(app, providerEvent('UNKNOWN_TYPE', '2026-03-01', { app_user_id: ada })), 'applied');
    assert.equal(await sendEvent(app, providerEvent('TEST', '2026-03-01', { app_user_id: newId() })), 'recorded');
    const facts = lines().map(({ type, understood, result }) => [type, understood, result]);
    assert.deepEqual(facts, [
      ['INITIAL_PURCHASE', true, 'recorded'],
      ['UNKNOWN_TYPE', false, 'applied'],
      ['TEST', true, 'recorded'],
    ]);
    assert.doesNotMatch(JSON.stringify(app.log), /secret/);
    assert.deepEqual(await writtenPlan(app, ada), ['free', null]);
  });

  it('an Idempotency-Key is ignored; the id of the event counts', async (app) => {
    for (const id of ['1', '2']) {
      const answer = await send(app, bodyOf({ id, type: 'TEST' }), { 'idempotency-key': 'same' });
      assert.deepEqual([answer.status, answer.body.data.result], [200, 'recorded']);
    }
  });

  it('an event under another name of a customer is that of their account, and of two accounts it is that of the named one', async (app) => {
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    await sendEvent(app, providerEvent('SUBSCRIBER_ALIAS', '2026-03-01', { aliases: [ada.userId, 'her phone'] }));
    assert.equal(await sendEvent(app, purchase('her phone')), 'applied');
    assert.deepEqual(await writtenPlan(app, ada.userId), ['pro', '2027-01-01']);
    const moved = { transferred_from: [ada.userId], transferred_to: [grace.userId] };
    await sendEvent(app, providerEvent('TRANSFER', '2026-03-02', moved));
    await sendEvent(app, purchase(grace.userId));
    const owners = new Map((await listEvents(app)).map(({ app_user_id, user_id }) => [app_user_id, user_id]));
    assert.deepEqual([owners.get('her phone'), owners.get(grace.userId)], [ada.userId, grace.userId]);
  });

  it('deleting an account removes its events under all of its names', async (app) => {
    const [ada, { grace }] = [await createPerson(app), await castFor(app)];
    await sendEvent(app, purchase('anonymous ada'));
    await sendEvent(app, providerEvent('EXPERIMENT_ENROLLMENT', '2026-03-01', { app_user_id: 'anonymous ada' }));
    await sendEvent(app, purchase(ada.userId, { aliases: ['anonymous ada'] }));
    await sendEvent(app, purchase(grace));
    await ada.ask('DELETE', '/v1/me');
    const owners = (await listEvents(app)).map(({ user_id }) => user_id);
    assert.deepEqual(owners.filter(Boolean), [grace]);
    for (const name of [ada.userId, 'anonymous ada']) assert.equal(await isMentioned(app, name), false, name);
    // The subscription continues without an account, and its name is not stored again.
    assert.equal(await sendEvent(app, purchase(ada.userId)), 'recorded');
    assert.equal(await isMentioned(app, ada.userId), false);
  });

  it('deleting an account removes its expired purchases', async (app) => {
    const ada = await createPerson(app);
    await sendEvent(app, purchase(ada.userId, { purchased_at_ms: '2026-01-01', expiration_at_ms: '2026-02-01' }));
    await ada.ask('DELETE', '/v1/me');
    assert.deepEqual(await listEvents(app), []);
    assert.equal(await isMentioned(app, 'gone'), false);
  });

  it('an expired purchase stays with the account that it was transferred to', async (app) => {
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    await sendEvent(app, purchase(ada.userId, { purchased_at_ms: '2026-01-01', expiration_at_ms: '2026-02-01' }));
    const moved = { transferred_from: [ada.userId], transferred_to: [grace.userId] };
    await sendEvent(app, providerEvent('TRANSFER', '2026-03-02', moved));
    await ada.ask('DELETE', '/v1/me');
    await sendEvent(app, providerEvent('TEST', '2026-03-03', { app_user_id: grace.userId }));
    assert.deepEqual(await writtenPlan(app, grace.userId), ['pro', '2026-02-01']);
  });

  it('a customer who deletes their account and returns gets their paid purchase back', async (app) => {
    const ada = await createPerson(app, 'ada@example.org');
    await sendEvent(app, purchase(ada.userId, { aliases: ['her phone'], expiration_at_ms: '2027-03-01' }));
    await ada.ask('DELETE', '/v1/me');
    const again = await createPerson(app, 'ada@example.org');
    const restored = { transferred_from: [ada.userId], transferred_to: [again.userId] };
    assert.equal(await sendEvent(app, providerEvent('TRANSFER', '2026-03-02', restored)), 'applied');
    assert.deepEqual(await writtenPlan(app, again.userId), ['pro', '2027-03-01']);
    for (const name of [ada.userId, 'her phone']) assert.equal(await isMentioned(app, name), false, name);
  });

  it('a purchase of a deleted account is found again by any name that the provider used for it', async (app) => {
    const ada = await createPerson(app, 'ada@example.org');
    await sendEvent(app, purchase('her phone', { expiration_at_ms: '2027-03-01' }));
    await sendEvent(app, providerEvent('SUBSCRIBER_ALIAS', '2026-03-02', { aliases: [ada.userId, 'her phone'] }));
    await ada.ask('DELETE', '/v1/me');
    const again = await createPerson(app, 'ada@example.org');
    const aliases = [again.userId, 'her phone'];
    await sendEvent(app, providerEvent('SUBSCRIBER_ALIAS', '2026-03-03', { app_user_id: again.userId, aliases }));
    assert.deepEqual(await writtenPlan(app, again.userId), ['pro', '2027-03-01']);
  });

  test('purchases transferred to another account outlive the first one and no longer name it', async (app) => {
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    const year = billingYear({ ada: ada.userId, grace: grace.userId, anonymous: 'somebody' });
    const attributes = { subscriber_attributes: { $email: { value: 'ada@example.org' } } };
    for (const { app_user_id = null, ...event } of year) {
      await sendEvent(app, { ...event, app_user_id, ...(app_user_id !== grace.userId && attributes) });
    }
    await ada.ask('DELETE', '/v1/me');
    assert.equal(await isMentioned(app, ada.userId), false);
    assert.ok((await listEvents(app)).every(({ user_id }) => user_id === grace.userId));
    await sendEvent(app, providerEvent('TEST', '2027-03-01', { app_user_id: grace.userId }));
    assert.deepEqual(await writtenPlan(app, grace.userId), ['pro', '2026-12-15']);
    for (const word of ['ada@example.org', '"somebody"']) assert.equal(await isMentioned(app, word), false, word);
    await grace.ask('DELETE', '/v1/me');
    assert.ok((await listEvents(app)).every(({ user_id }) => user_id === null));
    assert.equal(await isMentioned(app, grace.userId), false);
  });

  test('an account deleted while its events arrive leaves no event assigned to it', async (app) => {
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    const year = billingYear({ ada: ada.userId, grace: grace.userId, anonymous: 'somebody' });
    const sent = year.map((event) => sendEvent(app, event));
    const [gone, alsoGone] = await Promise.all([ada.ask('DELETE', '/v1/me'), grace.ask('DELETE', '/v1/me')]);
    await Promise.all(sent);
    assert.deepEqual([gone.status, alsoGone.status], [200, 200]);
    assert.ok((await listEvents(app)).every(({ user_id }) => user_id === null));
  });

  test('housekeeping deletes events without an account after 400 days, and no others', async (app) => {
    const { ada } = await castFor(app);
    const housekeeping = new Housekeeping(app.db, app.clock);
    await sendEvent(app, purchase(ada));
    await sendEvent(app, purchase('early'));
    await sendEvent(app, purchase('nobody'));
    await sendEvent(app, providerEvent('TEST', '2026-03-01'));
    await app.engine?.stop();
    app.clock.set('2026-03-03T09:00:00Z');
    await sendEvent(app, purchase('early', { aliases: ['late'] }));
    const count = async () => [(await listEvents(app)).length, await isMentioned(app, 'nobody')];
    app.clock.set('2027-04-06T08:59:00Z');
    await housekeeping.runOnce();
    assert.deepEqual(await count(), [5, true]);
    app.clock.set('2027-04-06T09:01:00Z');
    await housekeeping.runOnce();
    assert.deepEqual(await count(), [2, false]);
    // All names are kept of a customer who may still turn out to have an account.
    await sendEvent(app, providerEvent('SUBSCRIBER_ALIAS', '2027-04-06', { aliases: [ada, 'late'] }));
    assert.ok((await listEvents(app)).every(({ user_id }) => user_id === ada));
  });
});

onEveryEngine((engine, it) => {
  it('without a configured secret every call is refused', async () => {
    await using app = await startTestApp(engine);
    for (const authorization of [SECRET, '', 'undefined']) {
      const answer = await send(app, bodyOf(purchase('x')), { authorization });
      assert.deepEqual(codeOf(answer), [503, 'billing_not_configured']);
    }
  });

  it('a purchase of the sandbox is no reason to keep what names a deleted account', async () => {
    await using app = await startTestApp(engine, { settings: { ...BILLING, BILLING_SANDBOX: 'false' } });
    const ada = await createPerson(app);
    await sendEvent(app, purchase(ada.userId, { environment: 'SANDBOX' }));
    await ada.ask('DELETE', '/v1/me');
    assert.deepEqual(await listEvents(app), []);
  });

  it('sandbox events count only if BILLING_SANDBOX is on', async () => {
    for (const [BILLING_SANDBOX, expected] of [
      ['false', ['free', null]],
      ['true', ['pro', '2027-01-01']],
    ] as const) {
      await using app = await startTestApp(engine, { settings: { ...BILLING, BILLING_SANDBOX } });
      const { ada, anonymous } = await castFor(app);
      await sendEvent(app, purchase(anonymous));
      await sendEvent(
        app,
        providerEvent('SUBSCRIBER_ALIAS', '2026-03-01', { aliases: [ada, anonymous], environment: 'SANDBOX' }),
      );
      assert.deepEqual(await writtenPlan(app, ada), expected, 'an alias from the sandbox');
      await sendEvent(app, purchase(ada, { environment: 'SANDBOX' }));
      assert.deepEqual(await writtenPlan(app, ada), expected);
      assert.ok((await listEvents(app)).every(({ user_id }) => user_id === ada));
    }
  });
});

onlyOn('sqlite', () => {
  const sign = (time: number, body: string, secret = SIGNING) =>
    createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');

  test('with a signing secret, only a correct and recent signature is accepted', async () => {
    await using app = await startTestApp('sqlite', { settings: { ...BILLING, BILLING_SIGNING_SECRET: SIGNING } });
    const now = app.clock.now().getTime() / 1_000;
    const body = `{ "event": ${JSON.stringify(purchase('ä somebody'))} }\n`;
    const right = sign(now, body);
    const refused: [why: string, signature: string | undefined][] = [
      ['missing', undefined],
      ['empty', ''],
      ['without a time', `v1=${right}`],
      ['without a signature', `t=${now}`],
      ['of another kind', `t=${now},v0=${right}`],
      ['cut short', `t=${now},v1=${right.slice(0, -1)}`],
      ['of another secret', `t=${now},v1=${sign(now, body, 'x')}`],
      ['of another body', `t=${now},v1=${sign(now, `${body} `)}`],
      ['of another time', `t=${now + 1},v1=${right}`],
      ['too old', `t=${now - 301},v1=${sign(now - 301, body)}`],
      ['of the future', `t=${now + 301},v1=${sign(now + 301, body)}`],
      ['of no time', `t=NaN,v1=${createHmac('sha256', SIGNING).update(`NaN.${body}`).digest('hex')}`],
    ];
    for (const [why, signature] of refused) {
      const headers = signature === undefined ? {} : { 'x-revenuecat-webhook-signature': signature };
      assert.deepEqual(codeOf(await send(app, body, headers)), [401, 'wrong_billing_signature'], why);
    }
    const broken = await send(app, '{', { 'x-revenuecat-webhook-signature': `t=${now},v1=${right}` });
    assert.deepEqual(codeOf(broken), [401, 'wrong_billing_signature'], 'the signature is checked before the body');
    assert.deepEqual(await listEvents(app), []);

    const accepted: [why: string, signature: string][] = [
      ['plain', `t=${now},v1=${right}`],
      ['among several', `t=${now}, v1=${'0'.repeat(64)}, v1=${right.toUpperCase()}`],
      ['nearly too old', `t=${now - 300},v1=${sign(now - 300, body)}`],
      ['a little ahead', `t=${now + 300},v1=${sign(now + 300, body)}`],
    ];
    for (const [why, signature] of accepted) {
      assert.equal((await send(app, body, { 'x-revenuecat-webhook-signature': signature })).status, 200, why);
    }
    const unauthorized = { authorization: 'x', 'x-revenuecat-webhook-signature': `t=${now},v1=${right}` };
    assert.deepEqual(codeOf(await send(app, body, unauthorized)), [401, 'wrong_billing_secret']);
  });
});
