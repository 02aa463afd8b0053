/**
 * One rig for each provider of channels: a server that speaks its protocol, and what a person does to set the channel
 * up. The contract suite runs over all of them.
 */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Webhook } from 'standardwebhooks';
import {
  type ChannelRig,
  create,
  echo,
  HttpRig,
  type Refusal,
  refusalsBy,
  type ShownMessage,
  verify,
} from './channel-rig.ts';
import type { ScriptedAnswer } from './faults.ts';
import type { Recorded } from './http-recorder.ts';
import { type MailCatcher, type SmtpCommand, startMailCatcher } from './mail-catcher.ts';
import type { Person } from './people.ts';
import { TelegramRig } from './telegram-rig.ts';
import { waitUntil } from './wait-until.ts';

/** Undoes quoted-printable. */
const decoded = (raw: string) =>
  raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

export class EmailRig implements ChannelRig {
  readonly provider = 'email';
  readonly abilities = { retracts: false };
  readonly stages = [-1, 0, 1, 2];
  readonly refusals = refusalsBy({
    retry: ['451 DATA 4.7.1 Try again', '450 RCPT TO 4.2.0 Greylisted'],
    rejected: ['554 DATA 5.7.1 Rejected', '552 RCPT TO 5.2.2 Mailbox full'],
    gone: [
      '550 RCPT TO 5.1.1 User unknown',
      '551 RCPT TO 5.1.6 Mailbox has moved',
      '556 RCPT TO 5.1.10 Null MX',
      '550 RCPT TO 5.2.1 Disabled',
    ],
    misconfigured: ['550 MAIL FROM 5.7.1 Sender refused', '530 MAIL FROM 5.7.0 Authentication required'],
  });
  readonly catcher: MailCatcher;
  #taken = 0;

  private constructor(catcher: MailCatcher) {
    this.catcher = catcher;
  }

  static async start(): Promise<EmailRig> {
    // The rig is about nudges, not about the notice to the owner of a new channel.
    return new EmailRig(
      await startMailCatcher(/^Subject: New (?:channel|address of a channel|passkey|access token) /m),
    );
  }

  get settings() {
    return { SMTP_URL: this.catcher.url, MAIL_FROM: 'Crescendo <nudge@crescendo.example>' };
  }

  async connect(person: Person, fields: object = {}): Promise<string> {
    const email = `other-${person.email}`;
    const { id, made } = await create(person, {
      provider: 'email',
      fields: { email },
      stages: [-1, 0, 1, 2],
      ...fields,
    });
    assert.equal(made.sent, 'sent');
    // A refusal that a test asks for later must not meet the notice.
    await waitUntil(() => this.catcher.aside.some(({ to }) => to[0] === person.email));
    const code = /Your code is (\d{6})/.exec(decoded(this.catcher.mails.at(-1)?.raw ?? ''))?.[1];
    assert.equal((await verify(person, id, code)).status, 200);
    this.#taken = this.catcher.mails.length;
    return id;
  }

  take(): ShownMessage[] {
    const mails = this.catcher.mails.slice(this.#taken);
    this.#taken = this.catcher.mails.length;
    return mails.map(({ raw }) => {
      const text = decoded(raw);
      return {
        title: /^Subject: (.*)$/m.exec(text)?.[1]?.trim() ?? '',
        page: /Done or snooze: https:\/\/crescendo\.example(\/a\/[\w-]{62})/.exec(text)?.[1] ?? '',
        stage: undefined,
      };
    });
  }

  takeRetracted(): number {
    return 0;
  }

  refuse({ name }: Refusal, times = 1): void {
    const [, code, command, text] = /^(\d{3}) (MAIL FROM|RCPT TO|DATA) (.*)$/.exec(name) ?? assert.fail(name);
    this.catcher.refuseWith(Number(code), times, command as SmtpCommand, text);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.catcher[Symbol.asyncDispose]());
  }
}

export class WebhookRig extends HttpRig implements ChannelRig {
  readonly provider = 'webhook';
  readonly abilities = { retracts: true };
  readonly stages = [-1, 0, 1, 2];
  readonly refusals: readonly Refusal[] = [
    ...['408', '425', '429', '500', '503'].map((name) => ({ name, means: 'retry' as const })),
    ...['301', '400', '404', '413'].map((name) => ({ name, means: 'rejected' as const })),
    ...['401', '403'].map((name) => ({ name, means: 'credentials_refused' as const })),
    { name: '410', means: 'gone' },
  ];
  #secret = '';
  #taken = 0;
  #takenRetracted = 0;

  override respond(request: Recorded): ScriptedAnswer {
    return echo(request);
  }

  get settings() {
    return { CHANNEL_HOSTS: `*,${this.server.host}` };
  }

  async connect(person: Person, fields: object = {}): Promise<string> {
    const address = { url: `${this.server.origin}/hook/abcd` };
    const { id, made } = await create(person, { provider: 'webhook', fields: address, ...fields });
    assert.equal(made.confirmation, 'answer');
    this.#secret = made.set_up?.secret ?? '';
    assert.match(this.#secret, /^whsec_/);
    assert.equal((await verify(person, id)).status, 200);
    return id;
  }

  async rotate(person: Person, channelId: string): Promise<void> {
    const { body } = await person.ask('PATCH', `/v1/channels/${channelId}`, { fields: { secret: '' } });
    assert.notEqual(body.data.set_up.secret, this.#secret);
    this.#secret = body.data.set_up.secret;
  }

  #events(type: string) {
    return this.server.requests
      .map(({ body, headers }) => {
        this.#checkSignature(body, headers);
        return JSON.parse(body);
      })
      .filter((event) => event.type === type);
  }

  /** By the reference library. Its limit on the age of a request is by the machine's clock, so the clock is ours. */
  #checkSignature(body: string, headers: Readonly<Record<string, unknown>>): void {
    const at = Number(headers['webhook-timestamp']) * 1_000;
    mock.timers.enable({ apis: ['Date'], now: at });
    try {
      new Webhook(this.#secret).verify(body, headers as Record<string, string>);
    } finally {
      mock.timers.reset();
    }
  }

  /** Requests that were signed before a rotation cannot be checked any more. */
  forget(): void {
    this.server.requests.splice(0);
    this.#taken = 0;
    this.#takenRetracted = 0;
  }

  take(): ShownMessage[] {
    const all = this.#events('nudge.sent');
    const events = all.slice(this.#taken);
    this.#taken = all.length;
    return events.map(({ data }) => ({
      title: data.title,
      page: new URL(data.actions.page).pathname,
      stage: data.stage,
    }));
  }

  override takeRetracted(): number {
    const all = this.#events('nudge.retracted').reduce((sum, { data }) => sum + data.nudges.length, 0);
    const fresh = all - this.#takenRetracted;
    this.#takenRetracted = all;
    return fresh;
  }

  refuse({ name }: Refusal, times = 1): void {
    this.server.faults.next(...Array(times).fill({ status: Number(name), headers: { location: '/elsewhere' } }));
  }
}

/**
 * Answers like the real ntfy 2.27.0: it echoes the sequence id, answers 200 to every DELETE, and has the same codes of
 * refusals. `ntfy-server.test.ts` runs the real one.
 */
export class NtfyRig extends HttpRig implements ChannelRig {
  readonly provider = 'ntfy';
  readonly abilities = { retracts: true };
  readonly stages = [-1, 0, 1, 2];
  readonly refusals = refusalsBy({
    retry: ['429 42901', '429 42908', '500 50001', '507 50701', '429 42909'],
    rejected: ['400 40014', '404 40401', '400 40049', '413 41303'],
    credentials_refused: ['401 40101', '403 40301'],
  });
  #taken = 0;
  #retracted = 0;
  #takenRetracted = 0;
  #token = 'tk_first';

  get settings() {
    return { CHANNEL_HOSTS: `*,${this.server.host}` };
  }

  override respond({ method, path, headers, body }: Recorded): ScriptedAnswer {
    if (headers.authorization !== `Bearer ${this.#token}`) {
      return { status: 401, body: { code: 40101, http: 401, error: 'unauthorized' } };
    }
    if (method === 'DELETE') {
      this.#retracted += /^\/[-\w]{1,64}\/[-\w]{1,64}$/.test(path) ? 1 : 0;
      const [, topic, sequence_id] = path.split('/');
      return { status: 200, body: { id: 'x', sequence_id, time: 1, event: 'message_delete', topic } };
    }
    const { topic, sequence_id } = JSON.parse(body);
    return { status: 200, body: { id: 'x', time: 1, event: 'message', topic, ...(sequence_id && { sequence_id }) } };
  }

  async connect(person: Person, fields: object = {}): Promise<string> {
    const address = { server: this.server.origin, token: this.#token };
    const { id, made } = await create(person, { provider: 'ntfy', fields: address, ...fields });
    assert.equal(made.sent, 'sent');
    assert.match(made.set_up?.topic ?? '', /^crescendo-[0-9a-f]{40}$/);
    const message = JSON.parse(this.server.requests.at(-1)?.body ?? '{}');
    assert.equal(message.topic, made.set_up?.topic);
    const url = new URL(message.actions[0].url);
    assert.equal(message.actions[0].method, 'POST');
    this.#taken = this.server.requests.length;
    assert.equal((await this.press(person, `${url.pathname}${url.search}`)).status, 200);
    return id;
  }

  /** The phone presses a button: a POST without credentials. */
  press(person: Person, url: string) {
    return person.ask('POST', url as '/', undefined, 'nothing');
  }

  async rotate(person: Person, channelId: string): Promise<void> {
    this.#token = 'tk_second';
    await person.ask('PATCH', `/v1/channels/${channelId}`, { fields: { token: this.#token } });
  }

  take(): ShownMessage[] {
    const requests = this.server.requests.slice(this.#taken).filter(({ method }) => method === 'POST');
    this.#taken = this.server.requests.length;
    return requests.map(({ body }) => {
      const { title, priority, click } = JSON.parse(body);
      return { title, page: new URL(click).pathname, stage: priority - 3 };
    });
  }

  override takeRetracted(): number {
    const fresh = this.#retracted - this.#takenRetracted;
    this.#takenRetracted = this.#retracted;
    return fresh;
  }

  refuse({ name }: Refusal, times = 1): void {
    const [status = '', code = ''] = name.split(' ');
    this.server.faults.next(
      ...Array(times).fill({ status: Number(status), body: { code: Number(code), http: Number(status) } }),
    );
  }
}

export const CHANNEL_RIGS: readonly { readonly name: string; start(): Promise<ChannelRig> }[] = [
  { name: 'email', start: () => EmailRig.start() },
  { name: 'webhook', start: () => WebhookRig.start() },
  { name: 'ntfy', start: () => NtfyRig.start() },
  { name: 'telegram', start: () => TelegramRig.start() },
];
