/** What the doctor makes of the answers of other servers. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { loadConfig } from '../../config.ts';
import { INSTANCE_HEADER, RELEASE_HEADER } from '../../http/health.routes.ts';
import { createLogger } from '../../lib/logger.ts';
import { addressChecks } from './address.ts';
import { outsideChecks } from './outside.ts';

const clock = new FakeClock();
const { signal } = new AbortController();

/** What the check of this name says if the servers answer so. */
async function look(
  t: TestContext,
  name: string,
  settings: Readonly<Record<string, string>>,
  answer: (url: URL) => Response,
): Promise<string> {
  const fetching = t.mock.method(globalThis, 'fetch', async (url: string) => answer(new URL(url)));
  const check = [...addressChecks, ...outsideChecks].find((one) => one.name === name);
  assert.ok(check);
  const config = loadConfig({ DATA_DIR: '/nowhere/at-all', ...settings });
  const found = await check.run({ config, version: '1.0.0', clock, logger: createLogger('silent') }, signal);
  fetching.mock.restore();
  return `${found?.verdict}: ${found?.says}`;
}

test('one server that agrees about the time is enough, and a cache says nothing about it', async (t) => {
  const aheadBy = (minutes: number, headers: object = {}) => {
    const date = new Date(clock.now().getTime() + minutes * 60_000).toUTCString();
    return new Response(null, { headers: { date, ...headers } });
  };
  const hosts = { WEB_PUSH_HOSTS: 'wrong.example,right.example' };
  for (const minutes of [-10, 10]) {
    const says = await look(t, 'clock', hosts, ({ hostname }) => aheadBy(hostname === 'right.example' ? 0 : minutes));
    assert.match(says, /^ok: .*right\.example/);
  }
  assert.match(await look(t, 'clock', hosts, () => aheadBy(10)), /^fault: .*wrong\.example/);
  assert.match(await look(t, 'clock', hosts, () => aheadBy(10, { age: '600' })), /^warning: no server could be asked/);
});

test('push services are asked where they have one address, and one that does not answer is named', async (t) => {
  const hosts = { WEB_PUSH_HOSTS: '*.push.example,one.example,two.example:8080' };
  const says = await look(t, 'push services', hosts, () => new Response());
  assert.equal(says, 'ok: one.example, two.example:8080 can be reached');
  const silent = await look(t, 'push services', hosts, ({ port }) => {
    if (port === '8080') throw new TypeError('fetch failed');
    return new Response(null, { status: 500 });
  });
  assert.equal(silent, 'warning: http://two.example:8080 cannot be reached');
});

test('without BASE_URL a service that others can reach is told, and so is one without TLS', async (t) => {
  const address = (settings: Readonly<Record<string, string>>) =>
    look(t, 'address', settings, () => assert.fail('nobody is asked'));
  for (const HOST of ['0.0.0.0', '::']) assert.match(await address({ HOST }), /^warning: BASE_URL is not set/);
  assert.match(await address({ TRUST_PROXY: '1' }), /^warning: BASE_URL is not set/);
  assert.match(await address({}), /^ok: .* for this machine only/);
  assert.match(await address({ BASE_URL: 'http://a.example' }), /^warning: .* has no TLS/);
  for (const BASE_URL of ['https://a.example', 'http://localhost:8080'])
    assert.equal(await address({ BASE_URL }), `ok: ${BASE_URL}`);
});

test('a service of another release is told, an older and a newer one, and one that hides its database', async (t) => {
  const settings = { BASE_URL: 'https://crescendo.example' };
  const answer = (headers: Readonly<Record<string, string>>) => () =>
    Response.json({ ok: true, data: { version: '0.1.0' } }, { headers });
  for (const release of ['0.9.0', '1.1.0'])
    assert.match(
      await look(t, 'service', settings, answer({ [RELEASE_HEADER]: release })),
      new RegExp(`^warning: the service is Crescendo ${release}, and this command line is 1\\.0\\.0`),
    );
  assert.match(
    await look(t, 'service', settings, answer({})),
    /^warning: the service is Crescendo of a release before/,
  );
  const same = { [RELEASE_HEADER]: '1.0.0' };
  assert.match(await look(t, 'service', settings, answer(same)), /does not say which database it uses/);
  // No service has started on this database, so it is not its own that answers.
  const other = answer({ ...same, [INSTANCE_HEADER]: 'another' });
  assert.match(await look(t, 'service', settings, other), /^fault: another Crescendo answers/);
});
