/**
 * Pushes per second to a stand-in for APNs in another thread. Our gateway is compared with a bare
 * `node:http2` loop that sends the same requests and only waits for their end, and with `apns2` if BENCH_APNS2
 * is the folder it is installed in (`npm i --prefix /tmp/apns2 apns2`, then BENCH_APNS2=/tmp/apns2).
 * The senders take turns and a ratio is the median over the rounds, so other load on the machine affects both alike.
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
import { nudgeTo } from '../test/support/apns-pushes.ts';
import { certificate } from '../test/support/self-signed-certificate.ts';
import { median } from './statistics.ts';

const ROUNDS = 9;
const STREAMS = 1_000;
const PUSHES = 8_000;
/** `apns2` is much slower: 8,000 pushes would take minutes. */
const APNS2_PUSHES = 1_000;

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
    const apns = new Worker(new URL('./fake-apns.ts', import.meta.url), { workerData });
    const [port] = (await once(apns, 'message')) as [number];
    const [gateway, bare, others] = [gatewaySender(port), bareSender(port), apns2Senders(port)];
    try {
      console.log(`Pushes to APNs, ${roundTripMs} ms round trip, ${STREAMS} at a time`);
      await compare(gateway, bare, '≥ 0.9');
      for (const other of others) await compare(gateway, other, roundTripMs > 0 ? '≥ 10' : 'none');
    } finally {
      await Promise.all([gateway, bare, ...others].map((sender) => sender.close()));
      await apns.terminate();
    }
  }
}

interface Figures {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** The two senders take turns; which one goes first alternates. */
async function compare(ours: Sender, other: Sender, target: string): Promise<void> {
  const rounds: { readonly ours: Figures; readonly other: Figures }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const first = await measure(round % 2 === 0 ? ours : other);
    const second = await measure(round % 2 === 0 ? other : ours);
    // The first round is a warm-up.
    if (round > 0) rounds.push(round % 2 === 0 ? { ours: first, other: second } : { ours: second, other: first });
  }
  const medianOf = (figure: (round: (typeof rounds)[number]) => number) => median(rounds.map(figure));
  const rates = [medianOf((round) => round.ours.perSecond), medianOf((round) => round.other.perSecond)];
  const ratio = medianOf((round) => round.ours.perSecond / round.other.perSecond);
  const cpuRatio = medianOf((round) => round.ours.perCpuSecond / round.other.perCpuSecond);
  const [oursPerSecond, otherPerSecond] = rates.map((rate) => rate.toFixed(0).padStart(7));
  console.log(
    `  gateway ${oursPerSecond}/s, ${other.name.padEnd(15)} ${otherPerSecond}/s: ratio ${ratio.toFixed(2)} (target ${target}), per CPU second ${cpuRatio.toFixed(2)}`,
  );
}

/** Keeps as many pushes in flight as the server allows streams. */
async function measure({ pushes, send }: Sender): Promise<Figures> {
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
function apns2Senders(port: number): Sender[] {
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
  return [{ name: 'apns2', pushes: APNS2_PUSHES, send, close: () => client.close() }];
}

const originOf = (port: number) => `https://127.0.0.1:${port}`;
