import assert from 'node:assert/strict';
import { EventEmitter, getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { certificate, certificateKey } from '../../test/support/self-signed-certificate.ts';
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

function newSender(t: TestContext, timeoutMs?: number) {
  const sender = new HttpSender({ timeoutMs });
  t.after(() => sender.close());
  return sender;
}

const failure = (message: string) => ({ name: 'OutboundError', message });

test('a post sends headers, body and length, and resolves with status, headers and body', async (t) => {
  const seen: unknown[] = [];
  const server = await serve(t, async (request, response) => {
    const { method, url, headers } = request;
    seen.push([method, url, headers['x-header'], headers['content-length'], (await request.toArray()).join('')]);
    response.writeHead(429, { 'retry-after': '7' }).end('busy');
  });
  const sender = newSender(t);
  const { status, headers, body } = await sender.post(server.url, POST);
  assert.deepEqual(seen, [['POST', '/path?query', 'yes', '4', 'body']]);
  assert.deepEqual([status, headers['retry-after'], body], [429, '7', 'busy']);
});

test('consecutive posts share one connection', async (t) => {
  const ports = new Set<number | undefined>();
  const server = await serve(t, (request, response) => {
    ports.add(request.socket.remotePort);
    response.end();
  });
  const sender = newSender(t);
  for (let count = 0; count < 3; count += 1) await sender.post(server.url, POST);
  assert.equal(ports.size, 1);
});

test('a push is not lost when the server closes an idle connection at the moment it is reused', async (t) => {
  let requests = 0;
  const server = await serve(t, (request, response) => {
    requests += 1;
    if (requests === 2) request.socket.destroy();
    else response.end();
  });
  const sender = newSender(t);
  await sender.post(server.url, POST);
  assert.equal((await sender.post(server.url, POST)).status, 200);
  assert.equal(requests, 3);
});

test('a post on a new connection that is dropped is not repeated', async (t) => {
  let requests = 0;
  const server = await serve(t, (request) => {
    requests += 1;
    request.socket.destroy();
  });
  const sender = newSender(t);
  await assert.rejects(sender.post(server.url, POST), failure('econnreset'));
  assert.equal(requests, 1);
});

test('a redirect is returned and never followed', async (t) => {
  let requests = 0;
  const server = await serve(t, (_request, response) => {
    requests += 1;
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  const sender = newSender(t);
  assert.equal((await sender.post(server.url, POST)).status, 307);
  assert.equal(requests, 1);
});

test('an endless body is cut off, and the status is returned', async (t) => {
  const server = await serve(t, (_request, response) => {
    response.writeHead(410);
    const flood = () => {
      while (response.write('x'.repeat(8_192)));
      response.once('drain', flood);
    };
    flood();
  });
  const sender = newSender(t);
  const { status, body } = await sender.post(server.url, POST);
  assert.equal(status, 410);
  assert.ok(body.length < 200_000);
});

test('the status is returned even if the body never ends or is incomplete', async (t) => {
  const server = await serve(t, (request, response) => {
    response.writeHead(201).write('{');
    if (request.headers['x-header'] === 'break') setImmediate(() => request.socket.destroy());
  });
  const sender = newSender(t, 500);
  assert.equal((await sender.post(server.url, POST)).status, 201);
  assert.equal((await sender.post(server.url, { ...POST, headers: { 'X-Header': 'break' } })).status, 201);
});

test('a post without an answer rejects at the timeout, or earlier when the signal fires', async (t) => {
  const arrivals = new EventEmitter();
  const server = await serve(t, () => arrivals.emit('request'));
  const impatient = newSender(t, 20);
  await assert.rejects(impatient.post(server.url, POST), failure('timeout'));
  const patient = newSender(t);
  const controller = new AbortController();
  const post = patient.post(server.url, POST, controller.signal);
  await once(arrivals, 'request');
  controller.abort();
  await assert.rejects(post, failure('timeout'));
  await assert.rejects(patient.post(server.url, POST, controller.signal), failure('timeout'));
});

test('a post that has its answer, or has failed, forgets its signal', async (t) => {
  const server = await serve(t, (request, response) => {
    if (request.headers['x-header'] === 'break') request.socket.destroy();
    else response.end();
  });
  const sender = newSender(t);
  const { signal } = new AbortController();
  await sender.post(server.url, POST, signal);
  await assert.rejects(sender.post(server.url, { ...POST, headers: { 'X-Header': 'break' } }, signal));
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a refused connection is a retry with that reason', async (t) => {
  const server = await serve(t, () => undefined);
  server.close();
  const sender = newSender(t);
  await assert.rejects(sender.post(server.url, POST), failure('econnrefused'));
});

test('nothing is sent to a server with an untrusted certificate', async (t) => {
  let requests = 0;
  const secure = createSecureServer({ cert: certificate, key: certificateKey }, (_request, response) => {
    requests += 1;
    response.end();
  });
  const server = await listen(t, secure, 'https');
  const sender = newSender(t);
  await assert.rejects(sender.post(server.url, POST), failure('depth_zero_self_signed_cert'));
  assert.equal(requests, 0);
});

test('closing breaks posts in flight, and no new connection is opened', async (t) => {
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
  const sender = newSender(t);
  await sender.post(listening.url, POST);
  const arrival = once(arrivals, 'request');
  const post = sender.post(listening.url, POST);
  await arrival;
  sender.close();
  await assert.rejects(post, failure('closed'));
  await assert.rejects(sender.post(listening.url, POST), failure('closed'));
  assert.equal(connections, 1);
});
