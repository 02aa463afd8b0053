import assert from 'node:assert/strict';
import { settleAll } from '../../../test/support/fake-browser.ts';
import { testInPage } from '../../../test/support/fake-page.ts';
import { problemText, toProblem } from './problem.ts';

const RECENT = { status: 403, error: 'recent_sign_in_required: Sign in again.' } as const;

testInPage(
  'what needs a recent sign-in is asked for once, however much waits for it, and sent again',
  async (browser) => {
    const { call } = await import('./call.ts');
    const { setProofDialog } = await import('./recent-sign-in.ts');
    let answers: ((isProven: boolean) => void)[] = [];
    const remove = setProofDialog((done) => void answers.push(done));
    const { api, unwrap } = await import('./client.ts');
    const ask = () => [
      unwrap(api.POST('/v1/admin/invitations', { body: { email: 'bob' } })),
      call('DELETE', '/v1/passkeys/1'),
    ];
    const answer = async (isProven: boolean) => {
      await settleAll();
      assert.equal(answers.length, 1);
      browser.respond = () => ({ data: 'done' });
      for (const done of answers) done(isProven);
      answers = [];
    };
    browser.respond = () => RECENT;
    const proven = ask();
    await answer(true);
    assert.deepEqual(await Promise.all(proven), ['done', 'done']);
    assert.deepEqual(
      new Set(browser.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.stringify(body))),
      new Set(['{"email":"bob"}']),
    );

    // The next time it is asked again.
    browser.respond = () => RECENT;
    const declined = ask();
    await answer(false);
    for (const one of await Promise.allSettled(declined))
      assert.equal(one.status === 'rejected' && one.reason.code, 'recent_sign_in_required');
    assert.equal(browser.requests.length, 6);

    browser.respond = () => RECENT;
    const left = Promise.allSettled(ask());
    await settleAll();
    remove();
    await left;
    assert.equal(browser.requests.length, 8);
    // As in the service worker: nobody can be asked.
    await assert.rejects(call('DELETE', '/v1/passkeys/1'), { code: 'recent_sign_in_required' });
  },
);

testInPage('an answer without data is no failure', async (browser) => {
  const { api, unwrap } = await import('./client.ts');
  browser.respond = () => ({ data: null });
  const params = { path: { channel_id: 'ntfy' } };
  assert.equal(await unwrap(api.DELETE('/v1/channels/{channel_id}', { params })), null);
});

testInPage('another refusal asks for no sign-in', async (browser) => {
  const { call } = await import('./call.ts');
  const { setProofDialog } = await import('./recent-sign-in.ts');
  const remove = setProofDialog(() => assert.fail('Nobody is to be asked.'));
  browser.respond = () => ({ status: 403, error: 'not_allowed: No.' });
  await assert.rejects(call('POST', '/v1/tokens'), { code: 'not_allowed', status: 403 });
  remove();
});

testInPage(
  'an answer that is cut off, and one that is no answer of the service, count as no answer',
  async (browser) => {
    const { call } = await import('./call.ts');
    const { api, unwrap } = await import('./client.ts');
    browser.respond = () => 'offline';
    await assert.rejects(call('GET', '/v1/me'), { code: 'offline', isTemporary: true });
    await assert.rejects(unwrap(api.GET('/v1/spaces')), { code: 'offline', isTemporary: true });
    Object.assign(globalThis, { fetch: async () => new Response('<html>') });
    await assert.rejects(call('GET', '/v1/me'), { code: 'offline' });
  },
);

testInPage('the app asks by the session of the browser, and says that it is the app', async () => {
  const { request } = await import('./call.ts');
  const asked: RequestInit[] = [];
  Object.assign(globalThis, { fetch: async (_: string, init: RequestInit) => asked.push(init) && Response.json({}) });
  await request('/v1/me', { method: 'POST', headers: { 'Content-Type': 'text/calendar' } });
  assert.deepEqual(asked, [
    {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'X-Crescendo-App': '1', 'Content-Type': 'text/calendar' },
    },
  ]);
});

testInPage('a problem says whether it passes, after how long, and which fields are wrong', async () => {
  const problem = (status: number, body: unknown, headers = {}) =>
    toProblem(new Response(null, { status, headers }), body);
  for (const [status, code, isTemporary] of [
    [429, 'too_many_requests', true],
    [500, 'internal', true],
    [503, 'unavailable', true],
    [409, 'request_in_progress', true],
    [409, 'task_closed', false],
    [404, 'not_found', false],
  ] as const) {
    const one = problem(status, { error: `${code}: A sentence. And another.` });
    assert.deepEqual([one.code, one.message, one.isTemporary], [code, 'A sentence. And another.', isTemporary]);
  }
  assert.equal(problem(503, {}, { 'retry-after': '7' }).retryAfterSeconds, 7);
  assert.equal(problem(503, {}).retryAfterSeconds, undefined);
  const detail = [
    { loc: ['body', 'title'], msg: 'It is empty' },
    { loc: ['body', 'rungs', 2], msg: 'It is too short' },
  ];
  const invalid = problem(422, { error: 'invalid_input: No.', detail });
  assert.deepEqual([invalid.code, invalid.isTemporary], ['invalid_input', false]);
  assert.deepEqual(
    [invalid.fields, invalid.message],
    [{ title: 'It is empty', 2: 'It is too short' }, 'It is empty. It is too short'],
  );
  for (const body of [undefined, null, 'text', {}]) assert.equal(problem(400, body).code, 'unknown');
  assert.equal(
    problemText(problem(404, { error: 'not_found: x' })),
    'This is not here any more, or you may not see it.',
  );
  assert.equal(problemText(problem(400, { error: 'of_a_newer_service: It is so.' })), 'It is so.');
  assert.doesNotMatch(problemText(new TypeError('x is undefined')), /undefined/);
});

testInPage(
  'the time is that of the browser, unless the service says that it runs faster',
  async (browser) => {
    // Its own, because the clock of the others stays as it is.
    const own: string = './service-clock.ts?own';
    const { readServiceClock, serviceNow, serviceSpeed }: typeof import('./service-clock.ts') = await import(own);
    const tell = (clock: string) => readServiceClock(new Headers({ 'x-service-clock': clock }));
    for (const clock of ['', '2036-03-03T09:00:00Z', '2036-03-03T09:00:00Z 1', 'nonsense 60']) tell(clock);
    assert.deepEqual([serviceNow(), serviceSpeed()], [Date.now(), 1]);
    tell('2036-03-03T09:00:00Z 60');
    await browser.pass(1_000);
    assert.equal(new Date(serviceNow()).toISOString(), '2036-03-03T09:01:00.000Z');
    tell('2036-03-03T09:00:30Z 60');
    assert.equal(new Date(serviceNow()).toISOString(), '2036-03-03T09:00:30.000Z');
  },
  { dispatchEvent: () => true },
);
