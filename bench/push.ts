/**
 * Pushes per second to an Apple on another thread: our gateway, a bare `node:http2` loop that sends
 * the same requests and asks nothing but whether they ended, and `apns2` where BENCH_APNS2 names the folder
 * it is installed in (`npm i --prefix /tmp/apns2 apns2`, then BENCH_APNS2=/tmp/apns2). They take turns,
 * and a ratio is the median over the turns, so that whatever the machine does meanwhile happens to both.
 */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { connect, sensitiveHeaders } from 'node:http2';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../src/lib/clock.ts';
import { createLogger } from '../src/lib/logger.ts';
import { ApnsGateway } from '../src/push/apns/client.ts';
import { nudgeRequest } from '../src/push/apns/payload.ts';
import { ProviderToken } from '../src/push/apns/provider-token.ts';
import { certificate } from '../test/support/apns-certificate.ts';
import { nudgeTo } from '../test/support/apns-pushes.ts';

const ROUNDS = 9;
const STREAMS = 1_000;
const PUSHES = 8_000;
/** It is slower by so much that as many pushes would take minutes. */
const PUSHES_OF_PEERS = 1_000;

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

export async function benchPush(): Promise<void> {
  for (const roundTripMs of [0, 40]) {
    const workerData = { roundTripMs, streams: STREAMS };
    const peer = new Worker(new URL('./push-peer.ts', import.meta.url), { workerData });
    const [port] = (await once(peer, 'message')) as [number];
    const [gateway, bare, others] = [ourGateway(port), bareLoop(port), apns2(port)];
    try {
      console.log(`Pushes to Apple, ${roundTripMs} ms round trip, ${STREAMS} at a time`);
      await race(gateway, bare, '≥ 0.9');
      for (const other of others) await race(gateway, other, roundTripMs > 0 ? '≥ 10' : 'none');
    } finally {
      await Promise.all([gateway, bare, ...others].map((sender) => sender.close()));
      await peer.terminate();
    }
  }
}

interface Figures {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** Two take turns, and every other time the other one begins. */
async function race(ours: Sender, other: Sender, target: string): Promise<void> {
  const rounds: { readonly ours: Figures; readonly other: Figures }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const first = await burst(round % 2 === 0 ? ours : other);
    const second = await burst(round % 2 === 0 ? other : ours);
    // The first round only warms up.
    if (round > 0) rounds.push(round % 2 === 0 ? { ours: first, other: second } : { ours: second, other: first });
  }
  const middle = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
  const rates = [middle((round) => round.ours.perSecond), middle((round) => round.other.perSecond)];
  const rate = middle((round) => round.ours.perSecond / round.other.perSecond);
  const thrift = middle((round) => round.ours.perCpuSecond / round.other.perCpuSecond);
  const [oursPerSecond, otherPerSecond] = rates.map((each) => each.toFixed(0).padStart(7));
  console.log(
    `  gateway ${oursPerSecond}/s, ${other.name.padEnd(15)} ${otherPerSecond}/s: ratio ${rate.toFixed(2)} (target ${target}), by CPU ${thrift.toFixed(2)}`,
  );
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** As many at a time as the peer allows streams, each followed by the next. */
async function burst({ pushes, send }: Sender): Promise<Figures> {
  let next = 0;
  const one = async () => {
    while (next < pushes) {
      next += 1;
      await send(next);
    }
  };
  const cpu = process.threadCpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: STREAMS }, one));
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.threadCpuUsage(cpu);
  return { perSecond: pushes / seconds, perCpuSecond: pushes / ((user + system) / 1e6) };
}

function ourGateway(port: number): Sender {
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

function bareLoop(port: number): Sender {
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

/** What is used of it. */
interface Apns2 {
  readonly ApnsClient: new (
    options: object,
  ) => { client: { close(): Promise<void> }; send(push: object): Promise<unknown>; close(): Promise<void> };
  readonly Notification: new (token: string, options: object) => object;
}

/** It insists on port 443: its pool is replaced by one of the same make that goes to ours. */
function apns2(port: number): Sender[] {
  const folder = process.env.BENCH_APNS2;
  if (!folder) return [];
  const load = createRequire(join(folder, 'node_modules/apns2/package.json'));
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
  return [{ name: 'apns2', pushes: PUSHES_OF_PEERS, send, close: () => client.close() }];
}

const originOf = (port: number) => `https://127.0.0.1:${port}`;
