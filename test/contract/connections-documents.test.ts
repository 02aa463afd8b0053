import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientDocuments } from '../../src/connections/client-documents.ts';
import { DocumentServer } from '../support/assistants.ts';
import { FakeClock } from '../support/fake-clock.ts';

const CONNECTED = { userId: 'ada', isConnected: true };
const NEW = { userId: 'ada', isConnected: false };

test('simultaneous fetches of one address are one, and all get its answer', async () => {
  await using server = await DocumentServer.start();
  const documents = new ClientDocuments(new FakeClock(), server.options);
  const id = server.publish('/doc');
  const clients = await Promise.all(Array.from({ length: 20 }, () => documents.get(id, NEW)));
  assert.deepEqual([server.requested, new Set(clients.map(({ name }) => name))], [['/doc'], new Set(['Jeeves'])]);
});

test('while strangers hammer its host, a client that is connected works, and so does one that was read before', async () => {
  await using server = await DocumentServer.start();
  const clock = new FakeClock();
  const documents = new ClientDocuments(clock, server.options);
  const read = server.publish('/read');
  const connected = server.publish('/connected');
  const unheard = server.publish('/unheard');
  await documents.get(read, NEW);
  await clock.advance('2h');
  // Each at an address that was made up, on the host of the clients.
  const invented = (index: number) => documents.get(server.idOf(`/invented-${index}`), { ...NEW, userId: `s${index}` });
  for (let index = 0; index < 150; index += 1) {
    server.replies.set(`/invented-${index}`, { status: 404, body: {} });
    await assert.rejects(invented(index), { name: 'UnacceptableClient' });
  }
  assert.equal(server.requested.length, 1 + 120);
  await assert.rejects(documents.get(unheard, NEW), { kind: 'unreachable', message: /Try again in a minute/ });
  assert.equal((await documents.get(connected, CONNECTED)).id, connected);
  assert.equal((await documents.get(read, NEW)).id, read);
  await clock.advance('1m');
  assert.equal((await documents.get(unheard, NEW)).id, unheard);
});

test('a document that was read before counts for a day while its address fails, but not once it says no', async () => {
  await using server = await DocumentServer.start();
  const clock = new FakeClock();
  const documents = new ClientDocuments(clock, { ...server.options, timeoutMs: 100 });
  const id = server.publish('/doc');
  await documents.get(id, NEW);
  server.replies.delete('/doc');
  await clock.advance('1h');
  assert.equal((await documents.get(id, NEW)).id, id, 'the address hangs');
  server.replies.set('/doc', { status: 429, body: {} });
  await clock.advance('1h');
  assert.equal((await documents.get(id, NEW)).id, id, 'we asked too often');
  await clock.advance('1h');
  server.replies.set('/doc', { status: 404, body: {} });
  await assert.rejects(documents.get(id, NEW), { kind: 'metadata', message: /404/ });
  const asked = server.requested.length;
  await assert.rejects(documents.get(id, NEW), { kind: 'metadata', message: /404/ });
  assert.equal(server.requested.length, asked, 'a refusal is remembered too');
  server.replies.set('/doc', { status: 502, body: {} });
  await clock.advance('1h');
  await assert.rejects(documents.get(id, NEW), { kind: 'unreachable' }, 'it was withdrawn before its address failed');
});
