import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ClientDocuments } from '../../src/connections/client-documents.ts';
import { GuardedHttp } from '../../src/outbound/guarded-http.ts';
import { DocumentServer } from '../support/assistants.ts';
import { FakeClock } from '../support/fake-clock.ts';

const CONNECTED = { userId: 'ada', isConnected: true };
const NEW = { userId: 'ada', isConnected: false };

/** Documents at any address, without a server: each is good for an hour and answers with the status of the moment. */
function startMade({ mock }: TestContext) {
  const clock = new FakeClock();
  const server = { status: 200, requested: [] as string[] };
  mock.method(GuardedHttp.prototype, 'post', async (href: string) => {
    server.requested.push(href);
    const headers = { 'content-type': 'application/json', 'cache-control': 'max-age=3600' };
    const document = { client_id: href, client_name: 'Jeeves', redirect_uris: ['https://assistant.example/callback'] };
    return { status: server.status, headers, body: JSON.stringify(document), isCut: false };
  });
  const documents = new ClientDocuments(clock);
  const idOf = (number: number) => `https://assistant.example/doc-${number}`;
  /** Each for another account, so that none reaches its bound. */
  const read = (number: number) => documents.get(idOf(number), { userId: `person ${number}`, isConnected: true });
  const timesAsked = (number: number) => server.requested.filter((href) => href === idOf(number)).length;
  return { clock, server, read, idOf, timesAsked };
}

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
  // By now it is not kept for a failure either.
  await clock.advance('26h');
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

test('a document is fresh for as long as its headers ask, between a minute and an hour, and a clock set back ends it', async () => {
  await using server = await DocumentServer.start();
  const clock = new FakeClock();
  const documents = new ClientDocuments(clock, server.options);
  const asks: [header: string, freshFor: string, notBefore: string][] = [
    ['max-age=10', '60s', '59s'],
    ['max-age=600, must-revalidate', '600s', '599s'],
    ['private, max-age=86400', '1h', '3599s'],
  ];
  for (const [header, freshFor, notBefore] of asks) {
    const path = `/for-${freshFor}`;
    const id = server.publish(path);
    Object.assign(server.replies.get(path) ?? {}, { headers: { 'cache-control': header } });
    const times = () => server.requested.filter((one) => one === path).length;
    await documents.get(id, NEW);
    const began = clock.now();
    await clock.advance(notBefore);
    await documents.get(id, NEW);
    assert.equal(times(), 1, header);
    clock.set(began.toISOString());
    await clock.advance(freshFor);
    await documents.get(id, NEW);
    assert.equal(times(), 2, header);
    clock.set(began.toISOString());
    await documents.get(id, NEW);
    assert.equal(times(), 3, 'what was read in the future is read again');
  }
});

test('a failure pauses for longer each time, begins anew after a success, and is forgotten if the clock is set back', async () => {
  await using server = await DocumentServer.start();
  const clock = new FakeClock();
  const documents = new ClientDocuments(clock, server.options);
  const id = server.publish('/doc');
  const fails = () => assert.rejects(documents.get(id, NEW), { message: /404/ });
  const reads = async () => assert.equal((await documents.get(id, NEW)).id, id);
  server.replies.set('/doc', { status: 404, body: {} });
  await fails();
  await clock.advance('5s');
  await fails();
  server.publish('/doc');
  await clock.advance('9s');
  await fails();
  await clock.advance('1s');
  await reads();
  await clock.advance('1h');
  server.replies.set('/doc', { status: 404, body: {} });
  await fails();
  server.publish('/doc');
  await clock.advance('5s');
  await reads();
  await clock.advance('1h');
  server.replies.set('/doc', { status: 404, body: {} });
  await fails();
  server.publish('/doc');
  clock.set(new Date(clock.now().getTime() - 60_000).toISOString());
  await reads();
});

test('a client vouches for keys at its own host alone: at another they are bounded like those of a stranger', async () => {
  await using server = await DocumentServer.start();
  const documents = new ClientDocuments(new FakeClock(), server.options);
  const id = server.publish('/doc');
  server.replies.set('/keys', { body: { keys: [] } });
  for (let index = 0; index < 20; index += 1) {
    server.replies.set(`/none-${index}`, { status: 404, body: {} });
    await assert.rejects(documents.get(server.idOf(`/none-${index}`), NEW));
  }
  const client = await documents.get(id, CONNECTED);
  const keysAt = (jwksUri: string) => documents.getKeys({ ...client, jwksUri }, 'ada');
  assert.deepEqual(await keysAt(server.idOf('/keys')), { keys: [] });
  await assert.rejects(keysAt('https://elsewhere.example/keys'), { message: /Try again in a minute/ });
});

test('no id of a client names a person, and its document is JSON of any kind', async () => {
  await using server = await DocumentServer.start();
  const documents = new ClientDocuments(new FakeClock(), server.options);
  for (const part of ['eve@', 'eve:secret@', ':secret@']) {
    const id = server.idOf('/doc').replace('//', `//${part}`);
    await assert.rejects(documents.get(id, NEW), { message: /^Its id is not an address/ }, id);
  }
  const readAs = (type: string) => {
    const id = server.publish('/typed');
    Object.assign(server.replies.get('/typed') ?? {}, { type });
    return new ClientDocuments(new FakeClock(), server.options).get(id, NEW);
  };
  for (const type of ['application/json; charset=utf-8', 'application/oauth-client+json']) await readAs(type);
  for (const type of ['application/jsonp', 'text/json'])
    await assert.rejects(readAs(type), { message: /not JSON/ }, type);
});

test('500 documents are kept, and of more the one that was not asked for the longest is forgotten', async (context) => {
  const { read, timesAsked } = startMade(context);
  for (let number = 0; number < 500; number += 1) await read(number);
  await read(0);
  await read(500);
  for (const number of [0, 2, 1]) await read(number);
  assert.deepEqual([0, 1, 2].map(timesAsked), [1, 2, 1]);
});

test('a host that shuts us out for now has withdrawn nothing, and one that says no has', async (context) => {
  const { clock, server, read, idOf } = startMade(context);
  const statuses = { passing: [403, 408, 425, 429, 500, 503], final: [400, 401, 404, 410] };
  const all = [...statuses.passing, ...statuses.final];
  for (const status of all) await read(status);
  await clock.advance('2h');
  for (const status of statuses.passing) {
    server.status = status;
    assert.equal((await read(status)).id, idOf(status), `${status}`);
  }
  for (const status of statuses.final) {
    server.status = status;
    await assert.rejects(read(status), { kind: 'metadata', message: new RegExp(`${status}`) }, `${status}`);
  }
});
