/** A person with phones, webhooks, mail or an app, who repeats a request until the answer is final. */
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../src/lib/ids.ts';
import { basic, queryReport, readMultiStatus, unfolded } from '../support/caldav-client.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { Book } from './book.ts';
import type { Installation } from './installation.ts';
import type { Member } from './member.ts';
import type { Providers } from './providers.ts';

/** A caller that hears nothing for this long asks again, and another process if there is one. */
const PATIENCE_MS = 30_000;
/** An impatient one asks again while the first request is at work. */
const IMPATIENCE_MS = 60;
const RETRY_MS = 200;
const MOST_SIGN_INS = 10;
/** A request that got no final answer for this long has failed. Longer than any fault and than a blocked key. */
const GIVE_UP_MS = 240_000;
/** A key whose process died is free again after six seconds; a busy machine takes longer. */
const LONGEST_BLOCKED_MS = 20_000;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'REPORT';

interface Request {
  readonly method: Method;
  readonly path: string;
  readonly payload?: object | string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses that are final, besides 200. */
  readonly expects?: readonly number[];
}

export interface Final {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the answers of many routes
  readonly data: any;
  readonly text: string;
  readonly headers: Headers;
  /** The first request was carried out, and its answer is lost. */
  readonly isSpent: boolean;
  readonly askedAt: number;
  readonly answeredAt: number;
}

const isWrite = ({ method }: Request) => method !== 'GET' && method !== 'REPORT';

export type Equipment = 'phones' | 'app' | 'mail';

export class GaveUp extends Error {}

export class DrillPerson {
  readonly #book: Book;
  readonly #installation: Installation;
  readonly email: string;
  readonly equipment: Equipment;
  userId = '';
  sessionToken = '';
  #appToken = '';

  /** The share of keyed requests that are repeated before their answer can come. */
  impatience = 0;

  constructor(book: Book, installation: Installation, email: string, equipment: Equipment) {
    this.#book = book;
    this.#installation = installation;
    this.email = email;
    this.equipment = equipment;
  }

  get hasApp(): boolean {
    return this.#appToken !== '';
  }

  /** Signs up by mail, then adds phones, a webhook or an app. */
  async arrive(providers: Providers): Promise<void> {
    await this.signIn(providers);
    const targets = this.equipment === 'mail' ? [`mail ${this.email}`] : await this.#connect(providers);
    this.#book.people.set(this.email, { email: this.email, targets });
  }

  async signIn(providers: Providers): Promise<void> {
    for (let tries = 1; tries <= MOST_SIGN_INS; tries += 1) if (await this.#trySignIn(providers)) return;
    throw new GaveUp(`${this.email} could not sign in`);
  }

  /** A code works once: if the answer to it was lost, a new one is needed. */
  async #trySignIn({ codes }: Providers): Promise<boolean> {
    codes.delete(this.email);
    await this.send({ method: 'POST', path: '/v1/auth/email/request', payload: { email: this.email } });
    await waitUntil(() => codes.has(this.email), GIVE_UP_MS);
    const payload = { email: this.email, code: codes.get(this.email) };
    const { status, data } = await this.send({
      method: 'POST',
      path: '/v1/auth/email/verify',
      payload,
      expects: [401],
    });
    if (status === 401) return false;
    this.userId = data.user_id;
    this.sessionToken = data.session_token;
    return true;
  }

  async #connect({ webhooks }: Providers): Promise<string[]> {
    const path = `/hook/${newId()}`;
    const fields = { url: webhooks.origin + path };
    const { data } = await this.write('POST', '/v1/channels', { provider: 'webhook', fields });
    await this.write('POST', `/v1/channels/${data.channel.id}/verify`, {});
    if (this.equipment === 'app') {
      const scopes = ['tasks:read', 'tasks:write'];
      this.#appToken = (await this.write('POST', '/v1/tokens', { name: 'An app', scopes })).data.token;
      return [`webhook ${path}`];
    }
    const [iPhone, android] = [newId(), newId()].map((id) => id.replaceAll('-', '').repeat(2)) as [string, string];
    await this.write('POST', '/v1/devices', { platform: 'ios', ios_push_token: iPhone, push_env: 'production' });
    await this.write('POST', '/v1/devices', { platform: 'android', android_push_token: android });
    return [`webhook ${path}`, `iPhone ${iPhone}`, `Android ${android}`];
  }

  async read(path: string): Promise<Final> {
    return this.send({ method: 'GET', path, headers: this.#session });
  }

  /** A change, with a key if it is a POST. */
  async write(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    payload?: object,
    expects: readonly number[] = [],
  ): Promise<Final> {
    const key = method === 'POST' ? { 'idempotency-key': newId() } : {};
    const final = await this.send({ method, path, payload, headers: { ...this.#session, ...key }, expects });
    if (final.status < 300 || final.isSpent) this.#book.acknowledged += 1;
    return final;
  }

  /** Presses a button in a message. */
  async press(link: string): Promise<Final> {
    const { pathname, search } = new URL(link);
    const final = await this.send({ method: 'POST', path: `${pathname}${search}` });
    this.#book.acknowledged += 1;
    return final;
  }

  /** Stores a VTODO with these lines, as an app does. */
  async store(name: string, lines: readonly string[]): Promise<Final> {
    const payload = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//A drill//EN', 'BEGIN:VTODO', ...lines];
    const final = await this.#inApp({
      method: 'PUT',
      path: this.#listPath + name,
      payload: [...payload, 'END:VTODO', 'END:VCALENDAR', ''].join('\r\n'),
      headers: { 'content-type': 'text/calendar; charset=utf-8' },
      expects: [201, 204],
    });
    this.#book.acknowledged += 1;
    return final;
  }

  /** The titles of open tasks that the app finds. */
  async listInApp(): Promise<string[]> {
    const { text } = await this.#inApp({
      method: 'REPORT',
      path: this.#listPath,
      payload: queryReport('', '<C:calendar-data/>'),
      headers: { depth: '1', 'content-type': 'text/xml; charset=utf-8' },
      expects: [207],
    });
    const entries = [...(await readMultiStatus(text)).entries.values()].map((entry) => unfolded(entry.text));
    const open = entries.filter((lines) => !lines.some((line) => /^STATUS:(COMPLETED|CANCELLED)/.test(line)));
    return open.flatMap((lines) => lines.find((line) => line.startsWith('SUMMARY:'))?.slice('SUMMARY:'.length) ?? []);
  }

  get #listPath(): string {
    return `/caldav/calendars/${this.userId}/tasks/`;
  }

  #inApp(request: Request): Promise<Final> {
    return this.send({
      ...request,
      headers: { ...request.headers, authorization: basic(this.email, this.#appToken) },
    });
  }

  get #session() {
    return { authorization: `Bearer ${this.sessionToken}` };
  }

  /** Repeats the request, the same one, until the answer is final. */
  async send(request: Request): Promise<Final> {
    const askedAt = Date.now();
    let blockedSince: number | undefined;
    let tried: Member | undefined;
    let patienceMs = this.#patienceFor(request);
    while (Date.now() - askedAt < GIVE_UP_MS) {
      tried = this.#choose(tried);
      const answer = tried && (await this.#try(tried, request, patienceMs));
      patienceMs = PATIENCE_MS;
      const verdict = answer ? this.#judge(answer, request) : 'again';
      const now = Date.now();
      blockedSince = verdict === 'in progress' ? (blockedSince ?? now) : undefined;
      if (blockedSince !== undefined) this.#noteBlocked(now - blockedSince, request);
      if (answer && tried && verdict !== 'again' && verdict !== 'in progress') {
        this.#installation.onAcknowledged({ member: tried, isWrite: isWrite(request) });
        return { ...answer, isSpent: verdict === 'spent', askedAt, answeredAt: now };
      }
      this.#book.repeated += 1;
      await delay(RETRY_MS);
    }
    throw new GaveUp(`${request.method} ${request.path} got no final answer in ${GIVE_UP_MS / 1_000} s`);
  }

  #patienceFor({ headers }: Request): number {
    const isHasty = headers?.['idempotency-key'] !== undefined && Math.random() < this.impatience;
    return isHasty ? Math.floor(Math.random() * IMPATIENCE_MS) : PATIENCE_MS;
  }

  /** Another one than the last time, if there is another. */
  #choose(last: Member | undefined): Member | undefined {
    const { apis } = this.#installation;
    const others = apis.filter((member) => member !== last);
    const choice = others.length > 0 ? others : apis;
    return choice[Math.floor(Math.random() * choice.length)];
  }

  async #try(member: Member, request: Request, patienceMs: number) {
    const { method, path, payload, headers = {} } = request;
    const type = typeof payload === 'object' ? { 'content-type': 'application/json' } : {};
    const body = typeof payload === 'object' ? JSON.stringify(payload) : payload;
    const asking = fetch(`${member.baseUrl}${path}`, {
      method,
      headers: { ...type, ...headers },
      signal: AbortSignal.timeout(patienceMs),
      ...(body !== undefined && { body }),
    });
    this.#installation.onSent({ member, isWrite: isWrite(request) });
    try {
      const response = await asking;
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      const parsed = isJson ? JSON.parse(text) : {};
      const code = String(parsed.error ?? '').split(':')[0] ?? '';
      return { status: response.status, data: parsed.data, code, text, headers: response.headers };
    } catch {
      // No process, no answer, or half an answer: the caller does not know whether it was carried out.
      return undefined;
    }
  }

  #judge(
    { status, code, text, headers }: { status: number; code: string; text: string; headers: Headers },
    { method, path, expects = [] }: Request,
  ): 'final' | 'spent' | 'in progress' | 'again' {
    if (status === 200 || expects.includes(status)) return 'final';
    if (code === 'request_in_progress') return 'in progress';
    if (code === 'idempotency_key_spent') return 'spent';
    if (status === 503 && headers.has('retry-after')) return 'again';
    // The process stood still while the request arrived, and has not begun with it.
    if (status === 408) return 'again';
    // A link takes 30 presses a minute, and while nothing answers there are more.
    if (status === 429 && path.startsWith('/a/') && headers.has('retry-after')) return 'again';
    this.#book.violations.push(`unexpected answer to ${method} ${path}: ${status} ${text.slice(0, 200)}`);
    throw new GaveUp(`${method} ${path}: ${status}`);
  }

  #noteBlocked(ms: number, { path }: Request): void {
    if (ms === 0) this.#book.blocked += 1;
    const { longestBlockedMs } = this.#book;
    this.#book.longestBlockedMs = Math.max(longestBlockedMs, ms);
    if (ms > LONGEST_BLOCKED_MS && longestBlockedMs <= LONGEST_BLOCKED_MS)
      this.#book.violations.push(`a key was "in progress" for more than ${LONGEST_BLOCKED_MS / 1_000} s: ${path}`);
  }
}
