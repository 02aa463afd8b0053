/** Every kind of request to an address that somebody chose, against everything that such an address may lead to. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { ClientDocuments } from '../../src/connections/client-documents.ts';
import type { UnacceptableClient } from '../../src/connections/client-metadata.ts';
import { findPublicKey } from '../../src/keys/vapid-keys.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { Resolve } from '../../src/outbound/name-resolver.ts';
import { AppriseProvider } from '../../src/push/apprise/client.ts';
import { ChannelHttp } from '../../src/push/channel-http.ts';
import { NtfyProvider } from '../../src/push/ntfy/client.ts';
import { toPushResult } from '../../src/push/push-error.ts';
import { WebPushGateway } from '../../src/push/web-push/client.ts';
import { WebhookProvider } from '../../src/push/webhook/client.ts';
import { create, verify } from '../support/channel-rig.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson } from '../support/people.ts';
import { messageOf } from '../support/sample-messages.ts';
import { browserOf, nudgeOf } from '../support/sample-pushes.ts';
import { certificate, certificateKey } from '../support/self-signed-certificate.ts';
import { startTestApp } from '../support/test-app.ts';

const clock = new FakeClock();
const READER = { userId: 'somebody', isConnected: false };
const SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`;
const TIMEOUT_MS = 100;

interface Rig extends Disposable {
  /** Resolves with what the one who chose the address is told. */
  ask(address: string, signal: AbortSignal): Promise<unknown>;
  /** A request to an address that the operator chose, by the same part of the service. */
  askTrusted(address: string): Promise<unknown>;
}

type NewRig = (hosts: readonly string[], resolve?: Resolve) => Rig;

const channelRig =
  (send: (http: ChannelHttp, address: string, signal: AbortSignal) => Promise<unknown>): NewRig =>
  (hosts, resolve) => {
    const http = new ChannelHttp(hosts, resolve);
    return {
      ask: (address, signal) => send(http, address, signal).catch(toPushResult),
      askTrusted: (url) => http.requestTrusted({ url }),
      [Symbol.dispose]: () => http.close(),
    };
  };

const keys = () => {
  const { d: privateKey = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    format: 'jwk',
  });
  return { privateKey, publicKey: findPublicKey(privateKey) ?? '' };
};
const browserKeys = {
  p256dh: keys().publicKey,
  auth: Buffer.alloc(16).toString('base64url'),
};

const documentRig =
  (read: (documents: ClientDocuments, address: string) => Promise<unknown>): NewRig =>
  (hosts, resolve) => {
    const documents = new ClientDocuments(clock, { hosts, ...(resolve && { resolve }), timeoutMs: TIMEOUT_MS });
    const trusted = new ChannelHttp([]);
    return {
      ask: (address) =>
        read(documents, address).then(
          () => ({ kind: 'accepted' }),
          ({ kind, message }: UnacceptableClient) => ({ kind, reason: message }),
        ),
      askTrusted: (url) => trusted.requestTrusted({ url }),
      [Symbol.dispose]: () => trusted.close(),
    };
  };

const KINDS: Readonly<Record<string, NewRig>> = {
  webhook: channelRig((http, url, signal) =>
    new WebhookProvider(http, clock).send(messageOf(), { url, secret: SECRET }, signal),
  ),
  ntfy: channelRig((http, server, signal) =>
    new NtfyProvider(http, clock, 'https://ntfy.example', 'token').send(messageOf(), { server, topic: 't' }, signal),
  ),
  apprise: channelRig((http, url, signal) =>
    new AppriseProvider(http, clock).send(messageOf(), { url, key: 'k', tag: 't' }, signal),
  ),
  'web push': (hosts, resolve) => {
    const gateway = new WebPushGateway({
      keys: keys(),
      subject: 'mailto:operator@crescendo.example',
      baseUrl: 'https://crescendo.example',
      hosts,
      clock,
      logger: createLogger('silent'),
      ...(resolve && { resolve }),
    });
    const trusted = new ChannelHttp([]);
    return {
      ask: (token, signal) => gateway.send(nudgeOf(browserOf({ endpoint: token, keys: browserKeys }), 2), signal),
      askTrusted: (url) => trusted.requestTrusted({ url }),
      [Symbol.dispose]: () => {
        void gateway.close();
        trusted.close();
      },
    };
  },
  document: documentRig((documents, address) => documents.get(address, READER)),
  keys: documentRig((documents, jwksUri) => {
    const id = 'https://client.example/doc';
    const client = { id, name: '', host: null, redirectUris: [], auths: ['private_key_jwt'], jwksUri } as const;
    return documents.getKeys(client, 'somebody');
  }),
};
const isDocument = (kind: string) => kind === 'document' || kind === 'keys';

const resolving = (...addresses: readonly string[]) => {
  const resolve = ((_hostname, _options, done) => {
    resolve.calls += 1;
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as Resolve & { calls: number };
  resolve.calls = 0;
  return resolve;
};
const unknownName: Resolve = (_hostname, _options, done) =>
  done(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), []);

/** Of this machine, in the spellings that a URL allows, and of networks that are not the internet. */
const PRIVATE = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '127%2e0%2e0%2e1',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '0',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '[fe80::1]',
  '[fd00::1]',
];

const json = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' });

/** What the server does, by a word in the path. */
const ANSWERS: readonly [word: string, answer: (response: ServerResponse, port: number) => void][] = [
  ['moved', (response, port) => response.writeHead(302, { location: `https://127.0.0.1:${port}/inside` }).end()],
  ['huge', (response) => flood(json(response))],
  ['slow', (response) => json(response).write('{')],
  ['html', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>')],
  ['hanging', () => undefined],
  ['', (response) => json(response).end('{}')],
];

describe('a request to an address that somebody chose', () => {
  let server: Server;
  let port: number;
  let connections = 0;
  let requests: string[] = [];
  const arrivals = new EventEmitter();
  const nobody = new AbortController().signal;
  const standardCertificates = getCACertificates('default');

  before(async () => {
    setDefaultCACertificates([...standardCertificates, certificate]);
    server = createServer({ key: certificateKey, cert: certificate }, (request, response) => {
      const path = request.url ?? '';
      requests.push(path);
      arrivals.emit('request');
      ANSWERS.find(([word]) => path.includes(word))?.[1](response, port);
    });
    server.on('connection', () => {
      connections += 1;
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  beforeEach(() => {
    connections = 0;
    requests = [];
  });
  after(async () => {
    setDefaultCACertificates(standardCertificates);
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  for (const [kind, newRig] of Object.entries(KINDS)) {
    test(`(${kind}) never goes to a private address, in any spelling`, async () => {
      const resolve = resolving('127.0.0.1');
      using rig = newRig(['*'], resolve);
      for (const host of PRIVATE) {
        const result = await rig.ask(`https://${host}:${port}/x`, nobody);
        const expected = isDocument(kind)
          ? /^Its (id is not an address|description names no keys)/
          : /^endpoint_not_allowed$/;
        assert.match((result as { reason: string }).reason, expected, host);
      }
      assert.deepEqual([connections, resolve.calls], [0, 0]);
    });

    test(`(${kind}) to a name in our network gets the answer for a name that does not exist`, async () => {
      const outcomes = [];
      for (const resolve of [unknownName, resolving('127.0.0.1'), resolving('10.0.0.1', 'fd00::1'), resolving()]) {
        using rig = newRig(['*'], resolve);
        outcomes.push(await rig.ask('https://intranet.example/x', nobody));
      }
      assert.deepEqual(
        outcomes[0],
        isDocument(kind)
          ? { kind: 'unreachable', reason: 'Its description could not be read.' }
          : { kind: 'retry', reason: 'enotfound' },
      );
      for (const outcome of outcomes) assert.deepEqual(outcome, outcomes[0]);
    });

    test(`(${kind}) to a name with a private and a public address tries the public one alone`, async () => {
      const tried: string[] = [];
      const controller = new AbortController();
      // Without NAT64 this address leads nowhere.
      const resolve = resolving('127.0.0.1', '64:ff9b::808:808', '::1');
      const watch = (message: unknown) => {
        const { socket } = message as { socket: Socket };
        socket.on('connectionAttempt', (address: string) => {
          tried.push(address);
          controller.abort();
        });
      };
      subscribe('net.client.socket', watch);
      using rig = newRig(['*'], resolve);
      await rig.ask(`https://both.example:${port}/x`, controller.signal);
      unsubscribe('net.client.socket', watch);
      assert.deepEqual([tried, resolve.calls, connections], [['64:ff9b::808:808'], 1, 0]);
    });

    test(`(${kind}) does not reuse a trusted connection to the same host and port`, async () => {
      using rig = newRig(['*']);
      await rig.askTrusted(`https://localhost:${port}/trusted`);
      const result = await rig.ask(`https://localhost:${port}/chosen`, nobody);
      assert.deepEqual(requests, ['/trusted']);
      assert.notEqual((result as { kind: string }).kind, 'accepted');
    });

    test(`(${kind}) follows no redirect`, async () => {
      using rig = newRig([`localhost:${port}`]);
      const result = await rig.ask(`https://localhost:${port}/moved`, nobody);
      assert.match(JSON.stringify(result), /302/);
      assert.equal(requests.length, 1);
    });

    test(`(${kind}) reads so much of an answer, and so long, and no more`, async () => {
      using rig = newRig([`localhost:${port}`]);
      const huge = await rig.ask(`https://localhost:${port}/huge`, nobody);
      // A push was taken or not by its status.
      const cut = (reason: string) => (isDocument(kind) ? { kind: 'metadata', reason } : { kind: 'accepted' });
      assert.deepEqual(withoutRef(huge), cut('Its description is too long.'));
      assert.deepEqual(
        withoutRef(await rig.ask(`https://localhost:${port}/html`, nobody)),
        cut('Its description is not JSON.'),
      );
      for (const path of ['slow', 'hanging']) {
        const controller = new AbortController();
        const arrival = once(arrivals, 'request');
        const asked = rig.ask(`https://localhost:${port}/${path}`, controller.signal);
        await arrival;
        controller.abort();
        const ended = isDocument(kind)
          ? [{ kind: 'unreachable', reason: 'Its description could not be read.' }]
          : [{ kind: 'retry', reason: 'timeout' }, ...(path === 'slow' ? [{ kind: 'accepted' }] : [])];
        const result = withoutRef(await asked);
        assert.ok(
          ended.some((one) => isDeepStrictEqual(one, result)),
          `${path}: ${JSON.stringify(result)}`,
        );
      }
    });
  }
});

function flood(response: ServerResponse): void {
  while (response.write('x'.repeat(8_192)));
  response.once('drain', () => flood(response));
}

function withoutRef(result: unknown): unknown {
  const { ref: _, ...rest } = result as { ref?: unknown };
  return rest;
}

/** What an account learns of a server that it chose for a channel, and the lines that the operator finds in the log. */
async function tellOf(engine: EngineName, resolve: Resolve) {
  await using app = await startTestApp(engine, { extra: { resolve }, settings: { CHANNEL_HOSTS: '*' } });
  const ada = await createPerson(app);
  const body = { provider: 'ntfy', fields: { server: 'https://intranet.example', topic: 'mine' } };
  const { id, made } = await create(ada, body);
  const again = await verify(ada, id);
  const { data } = (await ada.ask('GET', '/v1/channels')).body;
  const stored = await app.db.selectFrom('channels').select(['last_error', 'refusals']).where('id', '=', id).execute();
  const shown = data.channels.find((channel: { id: string }) => channel.id === id);
  const told = [made.sent, again.status, again.body.data?.sent, shown.problem, shown.state, stored];
  return { told, logged: app.log.filter(({ host }) => host === 'intranet.example') };
}

onEveryEngine((engine, it) => {
  it('an account learns nothing of the names in our network by setting up a channel; the log tells the operator', async () => {
    const missing = await tellOf(engine, unknownName);
    const inside = await tellOf(engine, resolving('10.0.0.7'));
    assert.match(String(missing.told[0]), /^There is no server with this name that the internet can reach\./);
    assert.deepEqual(inside.told, missing.told);
    assert.deepEqual(
      inside.logged.map(({ level, setting }) => [level, setting]),
      [['warn', 'CHANNEL_HOSTS']],
    );
    assert.deepEqual(missing.logged, []);
  });
});
