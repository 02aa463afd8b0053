/**
 * A fake of Firebase Cloud Messaging and Google's token endpoint over real HTTP. It checks assertions, access
 * tokens and messages as strictly as the real ones, and fails as a test asks it to.
 */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import type { ServiceAccount } from '../../src/lib/setting.ts';
import type { FcmMessage } from '../../src/push/fcm/payload.ts';
import type { FakeClock } from './fake-clock.ts';
import { answer, Faults, type ScriptedAnswer } from './faults.ts';

const PROJECT_ID = 'crescendo-test';
const CLIENT_EMAIL = 'push@crescendo-test.iam.gserviceaccount.com';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const TOKEN_LIFETIME_SECONDS = 3_599;
const MAX_BYTES = 4_096;

interface ErrorParts {
  readonly message?: string;
  readonly errorCode?: string;
  readonly violatedFields?: readonly string[];
  readonly retryAfter?: string;
}

/** An error in FCM's format: the general status at the top, FCM's own code in the details. */
export function fcmError(status: number, general: string, parts: ErrorParts = {}): ScriptedAnswer {
  const { message = 'No.', errorCode, violatedFields, retryAfter } = parts;
  const details = [
    ...(errorCode ? [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }] : []),
    ...(violatedFields ? [badRequest(violatedFields)] : []),
  ];
  return {
    status,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    body: { error: { code: status, message, status: general, details } },
  };
}

const badRequest = (fields: readonly string[]) => ({
  '@type': 'type.googleapis.com/google.rpc.BadRequest',
  fieldViolations: fields.map((field) => ({ field, description: 'Invalid value.' })),
});

interface Keys {
  readonly publicKey: CryptoKey;
  readonly privatePem: string;
}

/** An RSA key takes a tenth of a second and more to generate, so all servers of a process share one. */
let keysOfAll: Promise<Keys> | undefined;

async function generateKeys(): Promise<Keys> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { publicKey, privatePem: await exportPKCS8(privateKey) };
}

export class FakeFcm implements AsyncDisposable {
  readonly #clock: FakeClock;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #arrivals = new EventEmitter();
  readonly #accessTokens = new Map<string, number>();
  readonly #keys: Keys;
  readonly faults = new Faults();
  readonly tokenFaults = new Faults();
  /** The accepted messages, oldest first. */
  readonly messages: FcmMessage[] = [];
  /** Registration tokens that no longer reach a device. */
  readonly unregistered = new Set<string>();
  sends = 0;
  tokenRequests = 0;
  connections = 0;

  private constructor(clock: FakeClock, keys: Keys) {
    this.#clock = clock;
    this.#keys = keys;
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  static async start(clock: FakeClock): Promise<FakeFcm> {
    keysOfAll ??= generateKeys();
    const fcm = new FakeFcm(clock, await keysOfAll);
    fcm.#server.listen(0, '127.0.0.1');
    await once(fcm.#server, 'listening');
    return fcm;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get account(): ServiceAccount {
    return {
      projectId: PROJECT_ID,
      clientEmail: CLIENT_EMAIL,
      privateKey: this.#keys.privatePem,
      tokenUri: `${this.origin}/token`,
    };
  }

  /** The settings of a service that sends to this server. */
  get settings(): Record<string, string> {
    const { projectId, clientEmail, privateKey, tokenUri } = this.account;
    const account = { project_id: projectId, client_email: clientEmail, private_key: privateKey, token_uri: tokenUri };
    return { FCM_SERVICE_ACCOUNT: JSON.stringify(account), FCM_ORIGIN: this.origin };
  }

  /** Resolves when the next push has arrived, answered or not. */
  async nextSend(): Promise<void> {
    await once(this.#arrivals, 'send');
  }

  async nextTokenRequest(): Promise<void> {
    await once(this.#arrivals, 'token');
  }

  /** Revokes every access token before it expires. */
  revokeAccessTokens(): void {
    this.#accessTokens.clear();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isToken = request.url === '/token';
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    this[isToken ? 'tokenRequests' : 'sends'] += 1;
    this.#arrivals.emit(isToken ? 'token' : 'send');
    const faults = isToken ? this.tokenFaults : this.faults;
    if (await faults.strike(request, response)) return;
    answer(response, isToken ? await this.#grant(body) : this.#accept(request, body));
  }

  async #grant(body: string): Promise<ScriptedAnswer> {
    const fields = new URLSearchParams(body);
    if (fields.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return { status: 400, body: { error: 'unsupported_grant_type' } };
    if (!(await this.#isValidAssertion(fields.get('assertion') ?? '')))
      return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
    const token = `ya29.token-${this.tokenRequests}`;
    this.#accessTokens.set(token, this.#clock.now().getTime() + TOKEN_LIFETIME_SECONDS * 1_000);
    return { status: 200, body: { access_token: token, expires_in: TOKEN_LIFETIME_SECONDS, token_type: 'Bearer' } };
  }

  async #isValidAssertion(assertion: string): Promise<boolean> {
    const expected = { issuer: CLIENT_EMAIL, audience: `${this.origin}/token`, algorithms: ['RS256'] };
    try {
      const { payload } = await jwtVerify(assertion, this.#keys.publicKey, {
        ...expected,
        requiredClaims: ['iat', 'exp'],
        currentDate: this.#clock.now(),
      });
      return payload.scope === SCOPE && (payload.exp ?? 0) - (payload.iat ?? 0) <= 3_600;
    } catch {
      return false;
    }
  }

  #accept(request: IncomingMessage, body: string): ScriptedAnswer {
    if (request.url !== `/v1/projects/${PROJECT_ID}/messages:send`) return fcmError(404, 'NOT_FOUND');
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if ((this.#accessTokens.get(token) ?? 0) <= this.#clock.now().getTime()) return fcmError(401, 'UNAUTHENTICATED');
    const { message, validate_only } = JSON.parse(body) as { message: FcmMessage; validate_only?: boolean };
    if (this.unregistered.has(message.token)) return fcmError(404, 'NOT_FOUND', { errorCode: 'UNREGISTERED' });
    const nonString = Object.entries(message.data).find(([, value]) => typeof value !== 'string');
    const { token: _, ...counted } = message;
    if (nonString || Buffer.byteLength(JSON.stringify(counted)) > MAX_BYTES)
      return fcmError(400, 'INVALID_ARGUMENT', { errorCode: 'INVALID_ARGUMENT', violatedFields: ['message.data'] });
    if (validate_only) return { status: 200, body: { name: `projects/${PROJECT_ID}/messages/fake_message_id` } };
    this.messages.push(message);
    return { status: 200, body: { name: `projects/${PROJECT_ID}/messages/${this.messages.length}` } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
