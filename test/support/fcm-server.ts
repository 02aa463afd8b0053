/**
 * A fake of Firebase Cloud Messaging and Google's token endpoint over real HTTP. It checks assertions, access
 * tokens and messages as strictly as the real ones, and fails as a test asks it to.
 */
import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import type { Clock } from '../../src/lib/clock.ts';
import type { ServiceAccount } from '../../src/lib/setting.ts';
import type { FcmMessage } from '../../src/push/fcm/payload.ts';
import type { ScriptedAnswer } from './faults.ts';
import { HttpRecorder, type Recorded } from './http-recorder.ts';

const PROJECT_ID = 'crescendo-test';
const CLIENT_EMAIL = 'push@crescendo-test.iam.gserviceaccount.com';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const TOKEN_LIFETIME_SECONDS = 3_599;
const MAX_BYTES = 4_096;

interface ErrorParts {
  /** The one that belongs to the HTTP status, unless told otherwise. */
  readonly general?: string;
  readonly message?: string;
  readonly errorCode?: string;
  readonly violatedFields?: readonly string[];
  readonly retryAfter?: string;
}

const GENERAL: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** An error in FCM's format: the general status at the top, FCM's own code in the details. */
export function fcmError(status: number, parts: ErrorParts = {}): ScriptedAnswer {
  const { message = 'No.', general = GENERAL[status], errorCode, violatedFields, retryAfter } = parts;
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
  readonly #clock: Clock;
  readonly #accessTokens = new Map<string, number>();
  readonly #keys: Keys;
  /** Where pushes are sent. */
  readonly server: HttpRecorder;
  /** The token endpoint. */
  readonly tokens: HttpRecorder;
  /** The accepted messages, oldest first. */
  readonly messages: FcmMessage[] = [];
  /** The port of the client that sent each of them. */
  readonly ports: number[] = [];
  /** Registration tokens that no longer reach a device. */
  readonly unregistered = new Set<string>();

  private constructor(clock: Clock, keys: Keys, server: HttpRecorder, tokens: HttpRecorder) {
    this.#clock = clock;
    this.#keys = keys;
    this.server = server;
    this.tokens = tokens;
    server.respondTo = (request) => this.#accept(request);
    tokens.respondTo = (request) => this.#grant(request);
  }

  static async start(clock: Clock): Promise<FakeFcm> {
    keysOfAll ??= generateKeys();
    return new FakeFcm(clock, await keysOfAll, await HttpRecorder.start(), await HttpRecorder.start());
  }

  get origin(): string {
    return this.server.origin;
  }

  get account(): ServiceAccount {
    return {
      projectId: PROJECT_ID,
      clientEmail: CLIENT_EMAIL,
      privateKey: this.#keys.privatePem,
      tokenUri: `${this.tokens.origin}/token`,
    };
  }

  /** The settings of a service that sends to this server. */
  get settings(): Record<string, string> {
    const { projectId, clientEmail, privateKey, tokenUri } = this.account;
    const account = { project_id: projectId, client_email: clientEmail, private_key: privateKey, token_uri: tokenUri };
    return { FCM_SERVICE_ACCOUNT: JSON.stringify(account), FCM_ORIGIN: this.origin };
  }

  /** Revokes every access token before it expires. */
  revokeAccessTokens(): void {
    this.#accessTokens.clear();
  }

  async #grant({ body }: Recorded): Promise<ScriptedAnswer> {
    const fields = new URLSearchParams(body);
    if (fields.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return { status: 400, body: { error: 'unsupported_grant_type' } };
    if (!(await this.#isValidAssertion(fields.get('assertion') ?? '')))
      return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
    const token = `ya29.token-${this.tokens.seen}`;
    this.#accessTokens.set(token, this.#clock.now().getTime() + TOKEN_LIFETIME_SECONDS * 1_000);
    return { status: 200, body: { access_token: token, expires_in: TOKEN_LIFETIME_SECONDS, token_type: 'Bearer' } };
  }

  async #isValidAssertion(assertion: string): Promise<boolean> {
    const expected = { issuer: CLIENT_EMAIL, audience: `${this.tokens.origin}/token`, algorithms: ['RS256'] };
    try {
      const { payload } = await jwtVerify(assertion, this.#keys.publicKey, {
        ...expected,
        requiredClaims: ['iat', 'exp'],
        currentDate: this.#clock.now(),
      });
      const { scope, iat = 0, exp = 0 } = payload;
      return scope === SCOPE && exp - iat <= 3_600 && iat * 1_000 <= this.#clock.now().getTime();
    } catch {
      return false;
    }
  }

  #accept({ path, headers, body, port }: Recorded): ScriptedAnswer {
    if (path !== `/v1/projects/${PROJECT_ID}/messages:send`) return fcmError(404);
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    if ((this.#accessTokens.get(token) ?? 0) <= this.#clock.now().getTime()) return fcmError(401);
    const { message, validate_only } = JSON.parse(body) as { message: FcmMessage; validate_only?: boolean };
    if (this.unregistered.has(message.token)) return fcmError(404, { errorCode: 'UNREGISTERED' });
    const nonString = Object.entries(message.data).find(([, value]) => typeof value !== 'string');
    const { token: _, ...counted } = message;
    if (nonString || Buffer.byteLength(JSON.stringify(counted)) > MAX_BYTES)
      return fcmError(400, { errorCode: 'INVALID_ARGUMENT', violatedFields: ['message.data'] });
    if (validate_only) return { status: 200, body: { name: `projects/${PROJECT_ID}/messages/fake_message_id` } };
    this.messages.push(message);
    this.ports.push(port);
    return { status: 200, body: { name: `projects/${PROJECT_ID}/messages/${this.messages.length}` } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.tokens[Symbol.asyncDispose]();
  }
}
