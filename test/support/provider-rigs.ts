/** Servers that speak the protocols of Pushover, Twilio and the Apprise API, for the contract suite of channels. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { countSegments } from '../../src/push/sms/sms-segments.ts';
import {
  type ChannelRig,
  create,
  HttpRig,
  type Refusal,
  refusalsBy,
  type ShownMessage,
  verify,
} from './channel-rig.ts';
import type { ScriptedAnswer } from './faults.ts';
import type { Recorded } from './http-recorder.ts';
import type { Person } from './people.ts';

const ALL_STAGES = [-1, 0, 1, 2];

const pageOf = (url: string) => /https:\/\/crescendo\.example(\/a\/[\w-]{62})/.exec(url)?.[1] ?? '';

/** Keeps alarms that ring until they are acknowledged, cancelled or over. */
export class PushoverRig extends HttpRig implements ChannelRig {
  readonly provider = 'pushover';
  /** Only alarms can be stopped. */
  readonly abilities = { retracts: false };
  readonly stages = ALL_STAGES;
  readonly refusals = refusalsBy({
    retry: ['500 {}', '502 not JSON'],
    rejected: ['400 {"message":"cannot be blank"}', '413 {}'],
    gone: ['400 {"user":"invalid","errors":["user identifier is invalid"],"status":0}'],
    misconfigured: [
      '400 {"token":"invalid","errors":["application token is invalid"],"status":0}',
      '429 {"errors":["application is over its quota"],"status":0}',
    ],
  });
  static readonly token = 'a'.repeat(30);
  static readonly user = 'u'.repeat(30);
  /** By receipt. */
  readonly alarms = new Map<
    string,
    { readonly form: URLSearchParams; state: 'ringing' | 'acknowledged' | 'cancelled' }
  >();
  #taken = 0;

  get settings() {
    return {
      PUSHOVER_TOKEN: PushoverRig.token,
      PUSHOVER_SUBSCRIPTION_URL: 'https://pushover.net/subscribe/Crescendo-x1',
      PUSHOVER_ORIGIN: this.server.origin,
    };
  }

  override respond({ method, path, body }: Recorded): ScriptedAnswer {
    const url = new URL(path, this.server.origin);
    const form = new URLSearchParams(body);
    if ((form.get('token') ?? url.searchParams.get('token')) !== PushoverRig.token) {
      return { status: 400, body: { token: 'invalid', status: 0 } };
    }
    const ok = (fields: object = {}) => ({ status: 200, body: { status: 1, request: 'x', ...fields } });
    const tag = /^\/1\/receipts\/cancel_by_tag\/([^/]+)\.json$/.exec(url.pathname)?.[1];
    if (tag !== undefined) return ok({ canceled: this.#cancel(tag) });
    if (method === 'GET') return this.#describe(url.pathname);
    assert.equal(url.pathname, '/1/messages.json');
    assert.ok((form.get('message') ?? '').length > 0);
    if (form.get('priority') !== '2') return ok();
    const [retry, expire] = [Number(form.get('retry')), Number(form.get('expire'))];
    if (!(retry >= 30 && expire >= retry && expire <= 10_800)) return { status: 400, body: { expire: 'invalid' } };
    const made = `r${String(this.alarms.size).padStart(29, '0')}`;
    this.alarms.set(made, { form, state: 'ringing' });
    return ok({ receipt: made });
  }

  #cancel(tag: string): number {
    const tagged = [...this.alarms.values()].filter((alarm) => alarm.form.get('tags') === tag);
    for (const alarm of tagged) alarm.state = 'cancelled';
    return tagged.length;
  }

  #describe(path: string): ScriptedAnswer {
    const alarm = this.alarms.get(/^\/1\/receipts\/(\w+)\.json$/.exec(path)?.[1] ?? '');
    if (!alarm) return { status: 404, body: { status: 0 } };
    return { status: 200, body: { status: 1, acknowledged: alarm.state === 'acknowledged' ? 1 : 0 } };
  }

  /** What the browser sends when Pushover sends it back; `cookie` is what it was given before. */
  comeBack(url: string, cookie: string | undefined, key = PushoverRig.user) {
    const { pathname } = new URL(url);
    const headers = { ...(cookie !== undefined && { cookie }), accept: 'text/html' };
    return this.app?.fastify.inject({ url: `${pathname}?pushover_user_key=${key}`, headers });
  }

  /** Adds the channel as the web app does, and returns where Pushover sends the browser back to. */
  async begin(person: Person, fields: object = {}) {
    const headers = { authorization: `Bearer ${person.sessionToken}`, 'x-crescendo-app': '1' };
    const payload = { provider: 'pushover', ...fields };
    const answer = await this.app?.ask({ method: 'POST', url: '/v1/channels', headers, payload });
    assert.equal(answer?.status, 200, JSON.stringify(answer?.body));
    const link = new URL(answer.body.data.link);
    assert.equal(link.origin + link.pathname, 'https://pushover.net/subscribe/Crescendo-x1');
    const cookie = String(answer.headers['set-cookie']).split(';')[0];
    return { id: answer.body.data.channel.id as string, back: link.searchParams.get('success') ?? '', cookie };
  }

  async connect(person: Person, fields: object = {}): Promise<string> {
    const { id, back, cookie } = await this.begin(person, fields);
    assert.equal((await this.comeBack(back, cookie))?.statusCode, 200);
    assert.equal((await verify(person, id, this.lastCode)).status, 200);
    this.#taken = this.server.requests.length;
    return id;
  }

  /** In the last message. */
  get lastCode(): string {
    const form = new URLSearchParams(this.server.requests.at(-1)?.body);
    return /Your code is (\d{6})/.exec(form.get('message') ?? '')?.[1] ?? '';
  }

  /** What Pushover sends to the callback of an alarm. */
  async report(receipt: string, callback = this.alarms.get(receipt)?.form.get('callback') ?? ''): Promise<number> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const payload = `receipt=${receipt}&acknowledged=1`;
    const answer = await this.app?.ask({ method: 'POST', url: new URL(callback).pathname, headers, payload });
    return answer?.status ?? 0;
  }

  take(): ShownMessage[] {
    const sent = this.server.requests.slice(this.#taken).filter(({ path }) => path === '/1/messages.json');
    this.#taken = this.server.requests.length;
    return sent.map(({ body }) => {
      const form = new URLSearchParams(body);
      const stage = Number(form.get('priority'));
      return { title: form.get('title') ?? '', page: pageOf(form.get('url') ?? ''), stage };
    });
  }

  refuse({ name }: Refusal, times = 1): void {
    const [, status = '', body = ''] = /^(\d+) (.*)$/.exec(name) ?? [];
    this.server.faults.next(...Array(times).fill({ status: Number(status), body }));
  }
}

/** A message as Twilio keeps it. */
interface TwilioMessage {
  readonly sid: string;
  readonly to: string;
  readonly body: string;
  readonly messaging_service_sid: string | null;
  status: 'scheduled' | 'canceled' | 'queued' | 'delivered';
  readonly date_created: string;
  readonly num_segments: string;
}

/** Answers as Twilio's Messages resource does, which also keeps messages until their time has come. */
export class SmsRig extends HttpRig implements ChannelRig {
  readonly provider = 'sms';
  readonly abilities = { retracts: false };
  readonly stages = ALL_STAGES;
  readonly refusals = refusalsBy({
    retry: ['503 20503', '429 20429'],
    rejected: ['400 21612', '400 21408', '400 21608'],
    gone: ['400 21211', '400 21614', '400 21610'],
    misconfigured: ['401 20003', '400 21606'],
  });
  static readonly accountSid = `AC${'0'.repeat(32)}`;
  static readonly authToken = 'b'.repeat(32);
  static readonly number = '+447700900123';
  /** Holds messages, which a number cannot. */
  static readonly service = `MG${'0'.repeat(32)}`;
  /** By the time of this clock. */
  now = () => new Date();
  /** The newest last. */
  readonly messages: TwilioMessage[] = [];
  readonly #sendAt = new Map<string, Date>();
  /** Twilio's pages disagree: 300 or 900. */
  shortestDelaySeconds = 300;
  mostPerPage = 100;
  #taken = 0;

  get settings() {
    return {
      SMS_ACCOUNT_SID: SmsRig.accountSid,
      SMS_AUTH_TOKEN: SmsRig.authToken,
      SMS_FROM: '+15005550006',
      SMS_COUNTRIES: '+44',
      SMS_ORIGIN: this.server.origin,
    };
  }

  override respond({ method, path, headers, body }: Recorded): ScriptedAnswer {
    const credentials = Buffer.from(`${SmsRig.accountSid}:${SmsRig.authToken}`).toString('base64');
    if (headers.authorization !== `Basic ${credentials}`) return refused(401, 20003);
    const { pathname, searchParams } = new URL(path, this.server.origin);
    const account = `/2010-04-01/Accounts/${SmsRig.accountSid}`;
    assert.ok(pathname.startsWith(`${account}/Messages`), path);
    this.tick();
    const sid = /\/Messages\/(\w+)\.json$/.exec(pathname)?.[1];
    if (sid !== undefined) return this.#one(sid, method === 'POST' ? new URLSearchParams(body) : null);
    return method === 'GET' ? this.#list(searchParams, pathname) : this.#create(new URLSearchParams(body));
  }

  #create(form: URLSearchParams): ScriptedAnswer {
    const isScheduled = form.get('ScheduleType') === 'fixed';
    const sendAt = form.get('SendAt') ?? '';
    const service = form.get('MessagingServiceSid');
    if (isScheduled && service === null) return refused(400, 35118);
    if (isScheduled && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(sendAt)) return refused(400, 35114);
    const seconds = (Date.parse(sendAt) - this.now().getTime()) / 1_000;
    if (isScheduled && (seconds < this.shortestDelaySeconds || seconds > 3_024_000)) return refused(400, 35114);
    const body = form.get('Body') ?? '';
    const message: TwilioMessage = {
      sid: this.sidOf(this.server.requests.length),
      to: form.get('To') ?? '',
      body,
      messaging_service_sid: service,
      status: isScheduled ? 'scheduled' : 'queued',
      date_created: this.now().toUTCString().replace('GMT', '+0000'),
      num_segments: String(countSegments(body)),
    };
    if (isScheduled) this.#sendAt.set(message.sid, new Date(sendAt));
    this.messages.push(message);
    return { status: 201, body: { ...message, error_code: null } };
  }

  #one(sid: string, form: URLSearchParams | null): ScriptedAnswer {
    const message = this.messages.find((one) => one.sid === sid);
    if (!message) return refused(404, 20404);
    if (form) {
      assert.deepEqual([...form], [['Status', 'canceled']]);
      if (message.status !== 'scheduled') return refused(409, 30409);
      message.status = 'canceled';
    }
    return { status: 200, body: message };
  }

  #list(query: URLSearchParams, path: string): ScriptedAnswer {
    const size = Math.min(Number(query.get('PageSize') ?? 50), this.mostPerPage);
    const page = Number(query.get('Page') ?? 0);
    const all = this.messages.filter(({ to }) => to === query.get('To')).toReversed();
    const next = new URLSearchParams([...query].filter(([name]) => name !== 'Page'));
    next.set('Page', String(page + 1));
    const next_page_uri = all.length > (page + 1) * size ? `${path}?${next}` : null;
    return { status: 200, body: { messages: all.slice(page * size, (page + 1) * size), page, next_page_uri } };
  }

  /** Sends what is due by now. */
  tick(): void {
    for (const message of this.messages) {
      const isDue = message.status === 'scheduled' && (this.#sendAt.get(message.sid) ?? 0) <= this.now();
      if (isDue) message.status = 'delivered';
    }
  }

  /** What is held and when it would be sent, the soonest first. */
  get held(): { readonly at: string; readonly body: string; readonly sid: string }[] {
    return this.messages
      .filter(({ status }) => status === 'scheduled')
      .map(({ sid, body }) => ({ sid, body, at: this.#sendAt.get(sid)?.toISOString().slice(0, 16) ?? '' }))
      .toSorted((a, b) => a.at.localeCompare(b.at));
  }

  /** What was held and is sent. */
  get sounded(): readonly TwilioMessage[] {
    return this.messages.filter(({ sid, status }) => this.#sendAt.has(sid) && status === 'delivered');
  }

  /** Of the nth message. */
  sidOf(count: number): string {
    return `SM${String(count).padStart(32, '0')}`;
  }

  get texts(): string[] {
    return this.messages.filter(({ sid }) => !this.#sendAt.has(sid)).map(({ body }) => body);
  }

  async connect(person: Person, fields: object = {}): Promise<string> {
    const address = { number: '0044 7700 (900) 123' };
    const { id, made } = await create(person, { provider: 'sms', fields: address, stages: ALL_STAGES, ...fields });
    assert.equal(made.sent, 'sent');
    assert.equal(new URLSearchParams(this.server.requests.at(-1)?.body).get('To'), SmsRig.number);
    const code = /Your code is (\d{6})/.exec(this.texts.at(-1) ?? '')?.[1];
    assert.equal((await verify(person, id, code)).status, 200);
    this.#taken = this.texts.length;
    return id;
  }

  /** What Twilio sends to the hook. */
  async report(fields: Record<string, string>, authToken = SmsRig.authToken, url = HOOK_URL): Promise<number> {
    const names = Object.keys(fields).sort();
    const signed = url + names.map((name) => `${name}${fields[name]}`).join('');
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': createHmac('sha1', authToken).update(signed).digest('base64'),
    };
    const payload = new URLSearchParams(fields).toString();
    return (await this.app?.ask({ method: 'POST', url: '/v1/hooks/sms', headers, payload }))?.status ?? 0;
  }

  take(): ShownMessage[] {
    const texts = this.texts.slice(this.#taken);
    this.#taken = this.texts.length;
    return texts.map((text) => ({ title: text.split(':')[0] ?? '', page: pageOf(text), stage: undefined }));
  }

  refuse({ name }: Refusal, times = 1): void {
    const [status = '', code = ''] = name.split(' ');
    const body = { code: Number(code), message: `about ${SmsRig.number}`, status: Number(status) };
    this.server.faults.next(...Array(times).fill({ status: Number(status), body }));
  }
}

const refused = (status: number, code: number): ScriptedAnswer => ({ status, body: { code, status } });

const HOOK_URL = 'https://crescendo.example/v1/hooks/sms';

/** Answers as the Apprise API does: 204 for a key or a tag that it does not know. */
export class AppriseRig extends HttpRig implements ChannelRig {
  readonly provider = 'apprise';
  readonly abilities = { retracts: false };
  readonly stages = ALL_STAGES;
  readonly refusals = refusalsBy({
    retry: ['424', '500'],
    rejected: ['204', '302', '400', '406', '431'],
    credentials_refused: ['403'],
  });
  #taken = 0;

  get settings() {
    return { CHANNEL_HOSTS: `*,${this.server.host}` };
  }

  override respond({ method, path, body }: Recorded): ScriptedAnswer {
    assert.equal(method, 'POST');
    const { body: text, tag, format, urls } = JSON.parse(body);
    assert.deepEqual([typeof text, format, urls], ['string', 'text', undefined]);
    return path === '/apprise/notify/family' && tag === 'phone' ? { status: 200, body: { error: null } } : NOTHING;
  }

  async connect(person: Person, fields: object = {}): Promise<string> {
    const address = { url: `${this.server.origin}/apprise/`, key: 'family', tag: 'phone' };
    const { id, made } = await create(person, { provider: 'apprise', fields: address, ...fields });
    assert.equal(made.sent, 'sent');
    const code = /Your code is (\d{6})/.exec(this.server.requests.at(-1)?.body ?? '')?.[1];
    assert.equal((await verify(person, id, code)).status, 200);
    this.#taken = this.server.requests.length;
    return id;
  }

  take(): ShownMessage[] {
    const sent = this.server.requests.slice(this.#taken);
    this.#taken = this.server.requests.length;
    return sent.map(({ body: json }) => {
      const { title, body } = JSON.parse(json);
      return { title, page: pageOf(body), stage: undefined };
    });
  }

  refuse({ name }: Refusal, times = 1): void {
    this.server.faults.next(...Array(times).fill({ status: Number(name), headers: { location: '/x' } }));
  }
}

const NOTHING = { status: 204 };

export const PROVIDER_RIGS: readonly { readonly name: string; start(): Promise<ChannelRig> }[] = [
  { name: 'pushover', start: () => PushoverRig.start() },
  { name: 'sms', start: () => SmsRig.start() },
  { name: 'apprise', start: () => AppriseRig.start() },
];
