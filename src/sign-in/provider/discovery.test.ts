import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { HttpRecorder } from '../../../test/support/http-recorder.ts';
import { Discovery } from './discovery.ts';

async function start(t: TestContext, document: (origin: string) => object = (issuer) => ({ issuer })) {
  const clock = new FakeClock();
  const server = await HttpRecorder.start();
  t.after(() => server[Symbol.asyncDispose]());
  const answer = (status: number, body: unknown) => {
    server.respondTo = () => ({ status, body });
  };
  answer(200, document(server.origin));
  return {
    clock,
    server,
    answer,
    discovery: new Discovery(server.origin, clock),
  };
}

const UNAVAILABLE = { code: 'identity_provider_unavailable' };

test('the document of a provider is read once an hour, however many ask at once, and a moved endpoint is found', async (t) => {
  const place = await start(t);
  const { clock, server, answer, discovery } = place;
  const issuer = server.origin;
  await Promise.all([discovery.get(), discovery.get(), discovery.get()]);
  await clock.advance('59m');
  await discovery.get();
  assert.equal(server.seen, 1);
  answer(200, { issuer, token_endpoint: 'https://moved.test/token' });
  await clock.advance('1m');
  assert.equal((await discovery.get()).token_endpoint, 'https://moved.test/token');
  assert.equal(server.seen, 2);
});

test('a provider that did not answer is asked again at once, and its issuer stays known while it is silent', async (t) => {
  const place = await start(t);
  const { clock, server, answer, discovery } = place;
  const issuer = server.origin;
  answer(503, 'down');
  assert.equal(discovery.knownIssuer, undefined);
  await assert.rejects(discovery.get(), UNAVAILABLE);
  answer(200, { issuer });
  assert.equal((await discovery.get()).issuer, issuer);
  await clock.advance('2h');
  answer(503, 'down');
  await assert.rejects(discovery.get(), UNAVAILABLE);
  assert.equal(discovery.knownIssuer, issuer);
});

test('a document that names another issuer or none, is no JSON, comes from elsewhere or is endless counts as no answer', async (t) => {
  const place = await start(t);
  const { server, answer, discovery } = place;
  const issuer = server.origin;
  const answers: [status: number, body: unknown][] = [
    [200, { issuer: `${issuer}/` }],
    [200, {}],
    [200, 'no JSON'],
    [404, { issuer }],
    [200, { issuer, padding: 'x'.repeat(256 * 1024) }],
  ];
  for (const [status, body] of answers) {
    answer(status, body);
    await assert.rejects(discovery.get(), UNAVAILABLE);
  }
  server.respondTo = ({ path }) =>
    path === '/moved' ? { status: 200, body: { issuer } } : { status: 302, headers: { location: '/moved' } };
  await assert.rejects(discovery.get(), UNAVAILABLE);
  assert.equal(discovery.knownIssuer, undefined);
});

test('an issuer with a slash at its end has its document at the same place', () => {
  const addresses = ['https://idp.test', 'https://idp.test/'].map((one) => new Discovery(one, new FakeClock()).address);
  assert.deepEqual(addresses, Array(2).fill('https://idp.test/.well-known/openid-configuration'));
});
