/**
 * A fake of Apple's push service on real HTTP/2, with or without TLS. It checks what Apple checks, keeps the
 * pushes it accepted, fails as a test asks it to, and records when a client breaks a rule of the connection: too
 * many streams, a second stream before the first was answered, an indexed secret.
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
import {
  type AppleAccount,
  deviceTokenOf,
  neverIndexed,
  type Refusal,
  refusalOf,
  tokenRefusalOf,
} from './apns-rules.ts';
import { certificate, certificateKey } from './self-signed-certificate.ts';

interface AcceptedPush {
  readonly token: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  readonly connection: number;
  /** The port of the client. */
  readonly port: number;
}

/** The state of one connection. */
interface ConnectionState {
  readonly number: number;
  readonly port: number;
  readonly open: Set<ServerHttp2Stream>;
  streamLimit: number;
  hasAnswered: boolean;
  /** It has sent GOAWAY and closes when all streams are answered. */
  isDraining: boolean;
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
  readonly #states = new Map<ServerHttp2Session, ConnectionState>();
  readonly #refusedTokens = new Map<string, Refusal>();
  readonly #ignoredTokens = new Set<string>();
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly account: AppleAccount;
  #refusals: Refusal[] = [];
  #waiters: { readonly count: number; readonly wake: () => void }[] = [];
  #held: Held[] | undefined;
  #limit: number;
  #streamsToRefuse = 0;
  /** The pushes that were answered with 200. */
  readonly pushes: AcceptedPush[] = [];
  /** Rules of the connection that the client broke. */
  readonly violations: string[] = [];
  /** How many pushes arrived completely, with any result. */
  received = 0;
  connections = 0;
  maxOpenStreams = 0;
  /** While true, no push is answered. */
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

  /** The options of a client that this server accepts and that trusts this server. */
  get options() {
    const pem = this.#keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const key = { pem, id: this.account.keyId };
    const { teamId, topic } = this.account;
    const origin = `${this.#scheme}://127.0.0.1:${this.port}`;
    const app = { topic, critical: false, activityType: 'NudgeAttributes' };
    return { ...app, origin, teamId, keys: { production: key, sandbox: key }, ca: certificate };
  }

  /** The same as settings of a service, which can connect only without TLS. */
  get settings(): Record<string, string> {
    const { origin, keys, teamId, topic } = this.options;
    return {
      APNS_ORIGIN: origin,
      APNS_KEY: keys.production.pem,
      APNS_KEY_ID: keys.production.id,
      APNS_TEAM_ID: teamId,
      APNS_TOPIC: topic,
    };
  }

  /** Refuses the next pushes. */
  refuseNext(times: number, refusal: Refusal): void {
    this.#refusals.push(...Array.from({ length: times }, () => refusal));
  }

  /** The refusals of `refuseNext` that are left are forgotten. */
  refuseNoMore(): void {
    this.#refusals.length = 0;
  }

  /** Refuses every push to this device. */
  refuseToken(token: string, refusal: Refusal): void {
    this.#refusedTokens.set(token, refusal);
  }

  /** Closes the next streams without processing them. */
  refuseStreams(times: number): void {
    this.#streamsToRefuse = times;
  }

  /** Receives every push to this device and answers none. */
  ignore(token: string): void {
    this.#ignoredTokens.add(token);
  }

  /** Keeps back all answers from now on. */
  hold(): void {
    this.#held ??= [];
  }

  /** Sends the answers that were kept back, and later answers at once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { answer } of held) answer();
  }

  /** The ids of the streams with an answer that is kept back, in the order of arrival. */
  get heldIds(): readonly number[] {
    return (this.#held ?? []).map(({ stream }) => stream.id ?? 0);
  }

  /** Resolves when this many pushes have arrived in total. */
  async receives(count: number): Promise<void> {
    if (this.received >= count) return;
    await new Promise<void>((wake) => this.#waiters.push({ count, wake }));
  }

  /** Changes how many streams may be open at once. Resolves when every client has confirmed the limit. */
  async setStreamLimit(limit: number): Promise<void> {
    this.#limit = limit;
    await Promise.all([...this.#states].map(([session, state]) => changeStreamLimit(session, state, limit)));
  }

  /** Sends GOAWAY to all clients. Streams after the given one are not processed. */
  goAway(lastStreamId: number, code: number = constants.NGHTTP2_NO_ERROR): void {
    const reason = Buffer.from(JSON.stringify({ reason: 'Shutdown' }));
    for (const [session, state] of this.#states) {
      session.goaway(code, lastStreamId, reason);
      state.isDraining = true;
    }
  }

  /** Breaks all connections without GOAWAY. */
  drop(): void {
    for (const session of this.#states.keys()) session.socket.destroy();
    this.#held &&= [];
  }

  #onSession(session: ServerHttp2Session): void {
    this.connections += 1;
    const { remotePort: port = 0 } = session.socket;
    const state = { number: this.connections, port, open: new Set<ServerHttp2Stream>(), streamLimit: this.#limit };
    this.#states.set(session, { ...state, hasAnswered: false, isDraining: false, token: undefined });
    session.on('error', (error) => this.violations.push(error.message));
    session.on('close', () => this.#states.delete(session));
  }

  async #onStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const state = stream.session && this.#states.get(stream.session as ServerHttp2Session);
    if (!state) return;
    state.open.add(stream);
    this.#inspect(state, headers);
    stream.on('error', () => undefined);
    const { session } = stream;
    stream.on('close', () => {
      state.open.delete(stream);
      if (state.isDraining && state.open.size === 0) session?.close();
    });
    if (this.#streamsToRefuse > 0) {
      this.#streamsToRefuse -= 1;
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    const body = await text(stream).catch(() => undefined);
    if (body === undefined) return;
    const answer = () => void this.#answer(state, stream, headers, body);
    this.#held?.push({ stream, answer });
    this.#count();
    if (this.#held || this.isSilent || this.#ignoredTokens.has(deviceTokenOf(headers))) return;
    if (this.delayMs > 0) setTimeout(answer, this.delayMs);
    else answer();
  }

  #inspect(state: ConnectionState, headers: IncomingHttpHeaders): void {
    const open = state.open.size;
    this.maxOpenStreams = Math.max(this.maxOpenStreams, open);
    if (open > state.streamLimit) this.violations.push(`${open} streams where ${state.streamLimit} are allowed`);
    if (open > 1 && !state.hasAnswered) this.violations.push('a second stream before the first was answered');
    for (const name of [':path', 'authorization'])
      if (!neverIndexed(headers as IncomingHttpHeaders & Record<symbol, unknown>).has(name))
        this.violations.push(`${name} may be indexed`);
  }

  #count(): void {
    this.received += 1;
    for (const { wake } of this.#waiters.filter(({ count }) => count <= this.received)) wake();
    this.#waiters = this.#waiters.filter(({ count }) => count > this.received);
  }

  async #answer(
    state: ConnectionState,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    body: string,
  ): Promise<void> {
    const token = deviceTokenOf(headers);
    const refusal =
      this.#refusals.shift() ??
      this.#refusedTokens.get(token) ??
      (await tokenRefusalOf(headers.authorization, this.account, this.#clock.now())) ??
      this.#checkTokenChange(state, headers.authorization) ??
      refusalOf(headers, body, this.account);
    if (stream.destroyed) return;
    const { number: connection, port } = state;
    if (!refusal) this.pushes.push({ token, headers, body: JSON.parse(body), connection, port });
    state.hasAnswered ||= refusal?.status !== 403;
    // The client may open another stream as soon as it has the answer, before this end of the stream is closed.
    state.open.delete(stream);
    stream.respond({ ':status': refusal?.status ?? 200 }, { endStream: refusal === undefined });
    if (refusal) stream.end(JSON.stringify({ reason: refusal.reason, timestamp: refusal.timestamp }));
  }

  /** On one connection the provider token may change at most every 20 minutes. */
  #checkTokenChange(state: ConnectionState, text: string | undefined): Refusal | undefined {
    const now = this.#clock.now().getTime();
    if (state.token && state.token.text !== text && now - state.token.changedAt < TOKEN_CHANGE_MS)
      return { status: 429, reason: 'TooManyProviderTokenUpdates' };
    if (state.token?.text !== text) state.token = { text, changedAt: now };
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#states.keys()) session.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** A client may use a higher limit as soon as it arrives. A lower one applies when the client has confirmed it. */
async function changeStreamLimit(session: ServerHttp2Session, state: ConnectionState, limit: number): Promise<void> {
  state.streamLimit = Math.max(state.streamLimit, limit);
  await new Promise<void>((resolve) => session.settings({ maxConcurrentStreams: limit }, () => resolve()));
  state.streamLimit = limit;
}
