/** By which name a request came, before anything else is read. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

onlyOn('sqlite', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite');
    await app.fastify.listen({ port: 0, host: '127.0.0.1' });
  });
  after(() => app[Symbol.asyncDispose]());

  /** The first line of the answer to these lines. */
  async function statusOf(...lines: readonly string[]): Promise<string> {
    const socket = connect((app.fastify.server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    socket.end([...lines, 'Connection: close', '', ''].join('\r\n'));
    const [status = ''] = (await text(socket)).split('\r\n', 1);
    return status;
  }

  test('a request with two host names or none is refused: a proxy in front may have judged another one', async () => {
    const get = 'GET /v1/me HTTP/1.1';
    assert.equal(await statusOf(get, 'Host: localhost'), 'HTTP/1.1 401 Unauthorized');
    for (const hosts of [['Host: localhost', 'host: localhost'], ['Host: localhost', 'HOST: evil.test'], []])
      assert.equal(await statusOf(get, ...hosts), 'HTTP/1.1 400 Bad Request', hosts.join());
  });
});
