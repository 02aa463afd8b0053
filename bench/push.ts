/**
 * Pushes per second to a stand-in for APNs in another thread. Our gateway is compared with a bare `node:http2` loop that
 * sends the same requests and only waits for their end, and with `apns2`. The senders take turns and a ratio is the
 * median over the rounds, so other load on the machine affects both alike. The stand-in counts what it received.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { connect, sensitiveHeaders } from 'node:http2';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../src/lib/clock.ts';
import { createLogger } from '../src/lib/logger.ts';
import { ApnsGateway } from '../src/push/apns/client.ts';
import { nudgeRequest } from '../src/push/apns/payload.ts';
import { ProviderToken } from '../src/push/apns/provider-token.ts';
import { nudgeTo } from '../test/support/apns-pushes.ts';
import { certificate } from '../test/support/self-signed-certificate.ts';
import { loadPeers, versionOf } from './install-peers.ts';
import type { Report } from './report.ts';
import { sized } from './sizes.ts';
import { median, spread } from './statistics.ts';

const ROUNDS = sized(1, 5);
const STREAMS = 1_000;
const PUSHES = sized(2_000, 5_000);
/** `apns2` is much slower: as many would take minutes. */
const APNS2_PUSHES = sized(200, 1_000);

const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const key = { pem: pem.toString(), id: 'KEY1234567' };
const app = { topic: 'org.example.app', critical: false, activityType: 'NudgeAttributes' };
const teamId = 'TEAM123456';

interface Sender {
  readonly name: string;
  readonly pushes: number;
  readonly send: (number: number) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

export async function benchPush(report: Report): Promise<void> {
  const load = loadPeers(report, 'push gateway / apns2');
  if (load) report.version('apns2', versionOf(load, 'apns2'));
  for (const roundTripMs of [0, 40]) {
    const apns = await startApns(roundTripMs);
    const [gateway, bare, others] = [
      gatewaySender(apns.port),
      bareSender(apns.port),
      load ? [apns2Sender(apns.port, load)] : [],
    ];
    const id = `push-${roundTripMs}`;
    try {
      await compare(report, id, apns, gateway, bare, 0.9);
      for (const other of others) await compare(report, id, apns, gateway, other, roundTripMs > 0 ? 10 : undefined);
    } finally {
      await Promise.all([gateway, bare, ...others].map((sender) => sender.close()));
      await apns.worker.terminate();
    }
  }
}

interface FakeApns {
  readonly worker: Worker;
  readonly port: number;
  readonly roundTripMs: number;
}

async function startApns(roundTripMs: number): Promise<FakeApns> {
  const workerData = { roundTripMs, streams: STREAMS };
  const worker = new Worker(new URL('./fake-apns.ts', import.meta.url), { workerData });
  const [port] = (await once(worker, 'message')) as [number];
  return { worker, port, roundTripMs };
}

/** Asks how many pushes were accepted since the last question. */
async function receivedBy({ worker }: FakeApns): Promise<number> {
  worker.postMessage('received');
  const [received] = (await once(worker, 'message')) as [number];
  return received;
}

interface Figures {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** The two senders take turns; which one goes first alternates. */
async function compare(
  report: Report,
  id: string,
  apns: FakeApns,
  ours: Sender,
  other: Sender,
  atLeast: number | undefined,
): Promise<void> {
  const rounds: { readonly ours: Figures; readonly other: Figures }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const first = await measure(apns, round % 2 === 0 ? ours : other);
    const second = await measure(apns, round % 2 === 0 ? other : ours);
    // The first round is a warm-up.
    if (round > 0) rounds.push(round % 2 === 0 ? { ours: first, other: second } : { ours: second, other: first });
  }
  const rates = (name: 'ours' | 'other') =>
    spread(
      rounds.map((round) => round[name].perSecond),
      '/s',
    );
  const cpu = median(rounds.map((round) => round.ours.perCpuSecond / round.other.perCpuSecond));
  report.add({
    id: `${id}-${other.name.split(' ')[0]}`,
    what: `push gateway / ${other.name}, ${apns.roundTripMs} ms round trip`,
    figures: [`gateway ${rates('ours')}`, `${other.name} ${rates('other')}`, `per CPU second ${cpu.toFixed(2)}`],
    value: median(rounds.map((round) => round.ours.perSecond / round.other.perSecond)),
    ...(atLeast !== undefined && { target: { atLeast } }),
  });
}

/** Keeps as many pushes in flight as the server allows streams. */
async function measure(apns: FakeApns, { name, pushes, send }: Sender): Promise<Figures> {
  let sent = 0;
  const sendInTurn = async () => {
    while (sent < pushes) {
      sent += 1;
      await send(sent);
    }
  };
  const cpu = process.threadCpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: STREAMS }, sendInTurn));
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.threadCpuUsage(cpu);
  assert.equal(await receivedBy(apns), pushes, `pushes that arrived from ${name}`);
  return { perSecond: pushes / seconds, perCpuSecond: pushes / ((user + system) / 1e6) };
}

function gatewaySender(port: number): Sender {
  const options = { ...app, teamId, keys: { production: key }, origin: originOf(port), ca: certificate };
  const gateway = new ApnsGateway(options, systemClock(), createLogger('silent'));
  const { signal } = new AbortController();
  return {
    name: 'gateway',
    pushes: PUSHES,
    close: () => gateway.close(),
    send: async (number) => {
      const result = await gateway.send(nudgeTo(number), signal);
      if (result.kind !== 'accepted') throw new Error(`A push was not accepted: ${JSON.stringify(result)}`);
    },
  };
}

function bareSender(port: number): Sender {
  const session = connect(originOf(port), { ca: certificate });
  const authorization = `bearer ${new ProviderToken(key, teamId, systemClock()).current()}`;
  const sensitive = { [sensitiveHeaders]: [':path', 'authorization'] };
  return {
    name: 'bare node:http2',
    pushes: PUSHES,
    close: async () => session.close(),
    send: (number) => {
      const push = nudgeTo(number);
      const { headers, body } = nudgeRequest(push, app);
      const path = { ':method': 'POST', ':path': `/3/device/${push.target.token}` };
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const stream = session.request({ ...path, ...headers, authorization, ...sensitive });
      stream.on('error', reject);
      stream.on('close', resolve);
      stream.resume();
      stream.end(body);
      return promise;
    },
  };
}

/** The part of `apns2` that is used here. */
interface Apns2 {
  readonly ApnsClient: new (
    options: object,
  ) => { client: { close(): Promise<void> }; send(push: object): Promise<unknown>; close(): Promise<void> };
  readonly Notification: new (token: string, options: object) => object;
}

/** `apns2` always connects to port 443, so its pool is replaced by one with the same settings and our port. */
function apns2Sender(port: number, load: NodeJS.Require): Sender {
  const { ApnsClient, Notification } = load('apns2') as Apns2;
  const { Pool } = load('undici') as { Pool: new (origin: string, options: object) => { close(): Promise<void> } };
  const client = new ApnsClient({ team: teamId, keyId: key.id, signingKey: key.pem, defaultTopic: app.topic });
  const pool = {
    connections: 32,
    pipelining: 1,
    allowH2: true,
    maxConcurrentStreams: 100,
    connect: { ca: certificate },
  };
  client.client = new Pool(originOf(port), pool);
  const { task, target, expiresAt } = nudgeTo(0);
  const options = { alert: { title: task.title, body: 'Due now' }, sound: 'default', category: 'NUDGE' };
  const send = () =>
    client.send(new Notification(target.token, { ...options, collapseId: task.id, expiration: expiresAt }));
  return { name: 'apns2', pushes: APNS2_PUSHES, send, close: () => client.close() };
}

const originOf = (port: number) => `https://127.0.0.1:${port}`;
