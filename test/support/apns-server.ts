/**
 * Apple's push service on real HTTP/2, with TLS or without. It checks what Apple checks, keeps what it
 * took, does wrong what a test asks it to do wrong, and writes down where a client breaks a rule of
 * the connection: too many streams, a second one before the first was answered, an indexed secret.
 */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import {
  constants,
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../src/lib/clock.ts';
import { certificate, certificateKey } from './apns-certificate.ts';
import {
  type AppleAccount,
  deviceTokenOf,
  neverIndexed,
  type Refusal,
  refusalOf,
  tokenRefusalOf,
} from './apns-rules.ts';

interface TakenPush {
  readonly token: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  readonly connection: number;
}

/** How one connection stands. */
interface Tally {
  readonly number: number;
  readonly open: Set<ServerHttp2Stream>;
  limit: number;
  hasAnswered: boolean;
  /** It said so, and closes when nothing is left to answer. */
  isLeaving: boolean;
  token: { readonly text: string | undefined; readonly changedAt: number } | undefined;
}

interface Held {
  readonly stream: ServerHttp2Stream;
  readonly answer: () => void;
}

const TOKEN_CHANGE_MS = 20 * 60_000;

export class FakeApns implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #scheme: 'https' | 'http';
  readonly #server: ReturnType<typeof createServer> | ReturnType<typeof createSecureServer>;
  readonly #tallies = new Map<ServerHttp2Session, Tally>();
  readonly #refusedTokens = new Map<string, Refusal>();
  readonly #ignoredTokens = new Set<string>();
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly account: AppleAccount;
  #refusals: Refusal[] = [];
  #watchers: { readonly count: number; readonly wake: () => void }[] = [];
  #held: Held[] | undefined;
  #limit: number;
  #turnedAway = 0;
  /** What was answered with 200. */
  readonly pushes: TakenPush[] = [];
  /** Rules of the connection that the client broke. */
  readonly offences: string[] = [];
  /** How many pushes arrived whole, whatever became of them. */
  received = 0;
  connections = 0;
  mostOpen = 0;
  /** While true, nothing is answered. */
  isSilent = false;
  delayMs = 0;

  private constructor(clock: Clock, scheme: 'https' | 'http', limit: number) {
    this.#clock = clock;
    this.#scheme = scheme;
    this.#limit = limit;
    const { publicKey } = this.#keys;
    this.account = { publicKey, keyId: 'KEY1234567', teamId: 'TEAM123456', topic: 'org.example.app' };
    const settings = { maxConcurrentStreams: limit };
    this.#server =
      scheme === 'http'
        ? createServer({ settings })
        : createSecureServer({ settings, cert: certificate, key: certificateKey });
    this.#server.on('session', (session) => this.#onSession(session));
    this.#server.on('stream', (stream, headers) => void this.#onStream(stream as ServerHttp2Stream, headers));
  }

  static async start(
    clock: Clock,
    { scheme = 'https', limit = 500 }: { readonly scheme?: 'https' | 'http'; readonly limit?: number } = {},
  ): Promise<FakeApns> {
    const apns = new FakeApns(clock, scheme, limit);
    apns.#server.listen(0, '127.0.0.1');
    await once(apns.#server, 'listening');
    return apns;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** What a client needs to be told to be believed here, and to believe this server. */
  get options() {
    const pem = this.#keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const key = { pem, id: this.account.keyId };
    const { teamId, topic } = this.account;
    const origin = `${this.#scheme}://127.0.0.1:${this.port}`;
    const app = { topic, critical: false, activityType: 'NudgeAttributes' };
    return { ...app, origin, teamId, keys: { production: key, sandbox: key }, ca: certificate };
  }

  /** The same as settings of a service; a service reaches it without TLS only. */
  get settings(): Record<string, string> {
    const { origin, keys, teamId, topic } = this.options;
    return {
      ...{ APNS_ORIGIN: origin, APNS_KEY: keys.production.pem, APNS_KEY_ID: keys.production.id },
      ...{ APNS_TEAM_ID: teamId, APNS_TOPIC: topic },
    };
  }

  /** Refuses the next pushes, whatever they are. */
  refuseNext(times: number, refusal: Refusal): void {
    this.#refusals.push(...Array.from({ length: times }, () => refusal));
  }

  /** Refuses every push to that device. */
  refuseToken(token: string, refusal: Refusal): void {
    this.#refusedTokens.set(token, refusal);
  }

  /** Closes the next streams without having looked at them. */
  turnAway(times: number): void {
    this.#turnedAway = times;
  }

  /** Takes every push to that device and answers none. */
  ignore(token: string): void {
    this.#ignoredTokens.add(token);
  }

  /** Keeps all answers back from now on. */
  hold(): void {
    this.#held ??= [];
  }

  /** Gives the answers kept back, and the next ones at once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { answer } of held) answer();
  }

  /** The streams whose answers are kept back, in the order in which they arrived. */
  get heldIds(): readonly number[] {
    return (this.#held ?? []).map(({ stream }) => stream.id ?? 0);
  }

  /** Resolves once so many pushes have arrived. */
  async receives(count: number): Promise<void> {
    if (this.received >= count) return;
    await new Promise<void>((wake) => this.#watchers.push({ count, wake }));
  }

  /** Says how many streams may be open at once; resolves when every client has heard it. */
  async allow(limit: number): Promise<void> {
    this.#limit = limit;
    await Promise.all([...this.#tallies].map(([session, tally]) => restrict(session, tally, limit)));
  }

  /** Tells the clients to leave; streams after the given one were not looked at. */
  goAway(lastStreamId: number, code: number = constants.NGHTTP2_NO_ERROR): void {
    const reason = Buffer.from(JSON.stringify({ reason: 'Shutdown' }));
    for (const [session, tally] of this.#tallies) {
      session.goaway(code, lastStreamId, reason);
      tally.isLeaving = true;
    }
  }

  /** Breaks all connections off without a word. */
  drop(): void {
    for (const session of this.#tallies.keys()) session.socket.destroy();
    this.#held &&= [];
  }

  #onSession(session: ServerHttp2Session): void {
    this.connections += 1;
    const tally = { number: this.connections, open: new Set<ServerHttp2Stream>(), limit: this.#limit };
    this.#tallies.set(session, { ...tally, hasAnswered: false, isLeaving: false, token: undefined });
    session.on('error', (error) => this.offences.push(error.message));
    session.on('close', () => this.#tallies.delete(session));
  }

  async #onStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const tally = stream.session && this.#tallies.get(stream.session as ServerHttp2Session);
    if (!tally) return;
    tally.open.add(stream);
    this.#inspect(tally, headers);
    stream.on('error', () => undefined);
    const { session } = stream;
    stream.on('close', () => {
      tally.open.delete(stream);
      if (tally.isLeaving && tally.open.size === 0) session?.close();
    });
    if (this.#turnedAway > 0) {
      this.#turnedAway -= 1;
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    const body = await text(stream).catch(() => undefined);
    if (body === undefined) return;
    const answer = () => void this.#answer(tally, stream, headers, body);
    this.#held?.push({ stream, answer });
    this.#count();
    if (this.#held || this.isSilent || this.#ignoredTokens.has(deviceTokenOf(headers))) return;
    if (this.delayMs > 0) setTimeout(answer, this.delayMs);
    else answer();
  }

  #inspect(tally: Tally, headers: IncomingHttpHeaders): void {
    const open = tally.open.size;
    this.mostOpen = Math.max(this.mostOpen, open);
    if (open > tally.limit) this.offences.push(`${open} streams where ${tally.limit} are allowed`);
    if (open > 1 && !tally.hasAnswered) this.offences.push('a second stream before the first was answered');
    for (const name of [':path', 'authorization'])
      if (!neverIndexed(headers as IncomingHttpHeaders & Record<symbol, unknown>).has(name))
        this.offences.push(`${name} may be indexed`);
  }

  #count(): void {
    this.received += 1;
    for (const { wake } of this.#watchers.filter(({ count }) => count <= this.received)) wake();
    this.#watchers = this.#watchers.filter(({ count }) => count > this.received);
  }

  async #answer(tally: Tally, stream: ServerHttp2Stream, headers: IncomingHttpHeaders, body: string): Promise<void> {
    const token = deviceTokenOf(headers);
    const refusal =
      this.#refusals.shift() ??
      this.#refusedTokens.get(token) ??
      (await tokenRefusalOf(headers.authorization, this.account, this.#clock.now())) ??
      this.#noteToken(tally, headers.authorization) ??
      refusalOf(headers, body, this.account);
    if (stream.destroyed) return;
    if (!refusal) this.pushes.push({ token, headers, body: JSON.parse(body), connection: tally.number });
    tally.hasAnswered ||= refusal?.status !== 403;
    // The client may use the place from the moment it has the answer, before this end of the stream is closed.
    tally.open.delete(stream);
    stream.respond({ ':status': refusal?.status ?? 200 }, { endStream: refusal === undefined });
    if (refusal) stream.end(JSON.stringify({ reason: refusal.reason, timestamp: refusal.timestamp }));
  }

  /** On one connection the provider's token may change every 20 minutes, not more often. */
  #noteToken(tally: Tally, text: string | undefined): Refusal | undefined {
    const now = this.#clock.now().getTime();
    if (tally.token && tally.token.text !== text && now - tally.token.changedAt < TOKEN_CHANGE_MS)
      return { status: 429, reason: 'TooManyProviderTokenUpdates' };
    if (tally.token?.text !== text) tally.token = { text, changedAt: now };
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#tallies.keys()) session.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** A higher limit may be used as soon as it is heard, a lower one binds once the client has confirmed it. */
async function restrict(session: ServerHttp2Session, tally: Tally, limit: number): Promise<void> {
  tally.limit = Math.max(tally.limit, limit);
  await new Promise<void>((resolve) => session.settings({ maxConcurrentStreams: limit }, () => resolve()));
  tally.limit = limit;
}
