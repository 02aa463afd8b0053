import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { Senders } from './senders.ts';

test('the process that opened a connection is known on Linux, if it is one of those that may have', async () => {
  using senders = new Senders();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const known = process.platform === 'linux' ? process.pid : undefined;
  for (const [candidates, expected] of [
    [[process.pid], known],
    [[], undefined],
  ] as const) {
    senders.candidates = () => candidates;
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(server, 'connection');
    assert.equal(senders.of(client.localPort), expected);
    client.destroy();
  }
  server.close();
});
