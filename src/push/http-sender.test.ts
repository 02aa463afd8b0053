import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { UNTRUSTED } from '../../test/support/untrusted-certificate.ts';
import { HttpSender } from './http-sender.ts';

const POST = { headers: { 'X-Header': 'yes' }, body: 'body' };

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(t: TestContext, server: Server, scheme = 'http') {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  t.after(close);
  return { url: new URL(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/path?query`), close };
}

const serve = (t: TestContext, handler: Handler) => listen(t, createServer(handler));

function senderOf(t: TestContext, timeoutMs?: number) {
  const sender = new HttpSender(timeoutMs);
  t.after(() => sender.close());
  return sender;
}

const saying = (message: string) => ({ name: 'Undelivered', message });

test('a post carries its headers, its body and its length, and brings back status, headers and body', async (t) => {
  const seen: unknown[] = [];
  const server = await serve(t, async (request, response) => {
    const { method, url, headers } = request;
    seen.push([method, url, headers['x-header'], headers['content-length'], (await request.toArray()).join('')]);
    response.writeHead(429, { 'retry-after': '7' }).end('busy');
  });
  const sender = senderOf(t);
  const { status, headers, body } = await sender.post(server.url, POST);
  assert.deepEqual(seen, [['POST', '/path?query', 'yes', '4', 'body']]);
  assert.deepEqual([status, headers['retry-after'], body], [429, '7', 'busy']);
});

test('one connection serves one post after the other', async (t) => {
  const ports = new Set<number | undefined>();
  const server = await serve(t, (request, response) => {
    ports.add(request.socket.remotePort);
    response.end();
  });
  const sender = senderOf(t);
  for (let count = 0; count < 3; count += 1) await sender.post(server.url, POST);
  assert.equal(ports.size, 1);
});

test('a kept connection that the server closes in the moment of use costs no push', async (t) => {
  let requests = 0;
  const server = await serve(t, (request, response) => {
    requests += 1;
    if (requests === 2) request.socket.destroy();
    else response.end();
  });
  const sender = senderOf(t);
  await sender.post(server.url, POST);
  assert.equal((await sender.post(server.url, POST)).status, 200);
  assert.equal(requests, 3);
});

test('a new connection that is dropped is not tried again here', async (t) => {
  let requests = 0;
  const server = await serve(t, (request) => {
    requests += 1;
    request.socket.destroy();
  });
  const sender = senderOf(t);
  await assert.rejects(sender.post(server.url, POST), saying('retry: econnreset'));
  assert.equal(requests, 1);
});

test('a redirect is an answer and never followed', async (t) => {
  let requests = 0;
  const server = await serve(t, (_request, response) => {
    requests += 1;
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  const sender = senderOf(t);
  assert.equal((await sender.post(server.url, POST)).status, 307);
  assert.equal(requests, 1);
});

test('an endless body is cut off, and the status counts', async (t) => {
  const server = await serve(t, (_request, response) => {
    response.writeHead(410);
    const flood = () => {
      while (response.write('x'.repeat(8_192)));
      response.once('drain', flood);
    };
    flood();
  });
  const sender = senderOf(t);
  const { status, body } = await sender.post(server.url, POST);
  assert.equal(status, 410);
  assert.ok(body.length < 200_000);
});

test('a body that never ends, or breaks off, does not take back what the status said', async (t) => {
  const server = await serve(t, (request, response) => {
    response.writeHead(201).write('{');
    if (request.headers['x-header'] === 'break') setImmediate(() => request.socket.destroy());
  });
  const sender = senderOf(t, 500);
  assert.equal((await sender.post(server.url, POST)).status, 201);
  assert.equal((await sender.post(server.url, { ...POST, headers: { 'X-Header': 'break' } })).status, 201);
});

test('silence ends with the time-out, or earlier with the signal', async (t) => {
  const arrivals = new EventEmitter();
  const server = await serve(t, () => arrivals.emit('request'));
  const hasty = senderOf(t, 20);
  await assert.rejects(hasty.post(server.url, POST), saying('retry: timeout'));
  const patient = senderOf(t);
  const controller = new AbortController();
  const post = patient.post(server.url, POST, controller.signal);
  await once(arrivals, 'request');
  controller.abort();
  await assert.rejects(post, saying('retry: timeout'));
  await assert.rejects(patient.post(server.url, POST, controller.signal), saying('retry: timeout'));
});

test('nobody listening is a retry that says so', async (t) => {
  const server = await serve(t, () => undefined);
  server.close();
  const sender = senderOf(t);
  await assert.rejects(sender.post(server.url, POST), saying('retry: econnrefused'));
});

test('a server whose certificate nobody vouches for is told nothing', async (t) => {
  let requests = 0;
  const secure = createSecureServer(UNTRUSTED, (_request, response) => {
    requests += 1;
    response.end();
  });
  const server = await listen(t, secure, 'https');
  const sender = senderOf(t);
  await assert.rejects(sender.post(server.url, POST), saying('retry: depth_zero_self_signed_cert'));
  assert.equal(requests, 0);
});

test('closing breaks off what is under way, and nothing connects any more', async (t) => {
  const arrivals = new EventEmitter();
  let connections = 0;
  const server = createServer((_request, response) => {
    if (arrivals.emit('request')) return;
    response.end();
  });
  server.on('connection', () => {
    connections += 1;
  });
  const listening = await listen(t, server);
  const sender = senderOf(t);
  await sender.post(listening.url, POST);
  const arrival = once(arrivals, 'request');
  const post = sender.post(listening.url, POST);
  await arrival;
  sender.close();
  await assert.rejects(post, saying('retry: closed'));
  await assert.rejects(sender.post(listening.url, POST), saying('retry: closed'));
  assert.equal(connections, 1);
});
