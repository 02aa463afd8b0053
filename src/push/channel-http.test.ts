import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpRecorder } from '../../test/support/http-recorder.ts';
import { ChannelHttp, withoutTrailingSlashes } from './channel-http.ts';

test('what must not be done twice has a connection of its own, and reads long lists whole', async (t) => {
  const server = await HttpRecorder.start(() => ({ status: 200, body: 'x'.repeat(100_000) }));
  t.after(() => server[Symbol.asyncDispose]());
  const http = new ChannelHttp([]);
  const url = server.origin;
  const once = [await http.requestOnce({ url }), await http.requestOnce({ url })];
  assert.equal(server.connections, 2, 'a connection that was used before may send it twice');
  assert.deepEqual(
    once.map(({ body, isCut }) => [body.length, isCut]),
    Array(2).fill([100_000, undefined]),
  );
  assert.equal((await http.requestTrusted({ url })).isCut, true);
  http.close();
});

test('what was closed sends nothing more, whoever chose the address', async (t) => {
  const server = await HttpRecorder.start();
  t.after(() => server[Symbol.asyncDispose]());
  const http = new ChannelHttp(['*', server.host], (_name, _options, done) => done(new Error('looked up'), []));
  http.close();
  const url = server.origin;
  for (const sent of [
    http.request({ url }),
    http.request({ url: 'https://hook.example' }),
    http.requestTrusted({ url }),
    http.requestOnce({ url }),
    http.postJson(url, {}),
  ])
    await assert.rejects(sent, { reason: 'closed' });
  assert.equal(server.seen, 0);
});

test('an address is refused with what is wrong about it, and one that the operator listed with its port is theirs', () => {
  const http = new ChannelHttp(['*', 'ntfy.lan:8090']);
  assert.equal(http.findProblem('https://hook.example'), undefined);
  assert.match(http.findProblem('hook.example') ?? '', /starts with https/);
  assert.match(http.findProblem('http://hook.example') ?? '', /CHANNEL_HOSTS/);
  assert.deepEqual(
    ['http://ntfy.lan:8090', 'https://hook.example'].map((url) => http.isListed(url)),
    [true, false],
  );
  assert.deepEqual(['a//', 'a', '//'].map(withoutTrailingSlashes), ['a', 'a', '']);
  http.close();
});
