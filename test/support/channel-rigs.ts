/**
 * One rig for each provider of channels: a server that speaks its protocol, and what a person does to set the channel
 * up. The contract suite runs over all of them.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { HttpRecorder } from './http-recorder.ts';
import { type MailCatcher, startMailCatcher } from './mail-catcher.ts';
import type { Person } from './people.ts';

export interface ShownMessage {
  readonly title: string;
  /** The path of the page with the buttons. */
  readonly page: string;
  readonly stage: number | undefined;
}

/** What an answer of the provider must mean. */
export interface Refusal {
  readonly name: string;
  readonly means: 'retry' | 'gone' | 'rejected' | 'misconfigured' | 'credentials_refused';
}

export interface ChannelRig extends AsyncDisposable {
  readonly provider: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly abilities: { readonly retracts: boolean };
  readonly stages: readonly number[];
  readonly refusals: readonly Refusal[];
  /** Sets the channel up and confirms it; returns its id. */
  connect(person: Person, fields?: object): Promise<string>;
  /** The messages about tasks since the last call. */
  take(): ShownMessage[];
  /** How many messages were retracted since the last call. */
  takeRetracted(): number;
  /** The next messages get this answer. */
  refuse(refusal: Refusal, times?: number): void;
  /** Changes what the person and the provider agreed on. */
  rotate?(person: Person, channelId: string): Promise<void>;
}

export async function create(person: Person, body: object): Promise<{ id: string; made: Made }> {
  const { status, body: answer } = await person.ask('POST', '/v1/channels', body);
  assert.equal(status, 200, JSON.stringify(answer));
  return { id: answer.data.channel.id, made: answer.data };
}

export interface Made {
  readonly channel: { readonly id: string; readonly state: string };
  readonly confirmation: string;
  readonly set_up: Readonly<Record<string, string>> | null;
  readonly link: string | null;
  readonly sent: string | null;
}

export async function verify(person: Person, id: string, code?: string) {
  return person.ask('POST', `/v1/channels/${id}/verify`, code === undefined ? {} : { code });
}

/** Undoes quoted-printable. */
const decoded = (raw: string) =>
  raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

export class EmailRig implements ChannelRig {
  readonly provider = 'email';
  readonly abilities = { retracts: false };
  readonly stages = [1, 2];
  readonly refusals: readonly Refusal[] = [
    { name: '451', means: 'retry' },
    { name: '554', means: 'rejected' },
  ];
  readonly catcher: MailCatcher;
  #taken = 0;

  private constructor(catcher: MailCatcher) {
    this.catcher = catcher;
  }

  static async start(): Promise<EmailRig> {
    return new EmailRig(await startMailCatcher());
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
        page: /Done or snooze: https:\/\/crescendo\.example(\/a\/[\w-]{59})/.exec(text)?.[1] ?? '',
        stage: undefined,
      };
    });
  }

  takeRetracted(): number {
    return 0;
  }

  refuse({ name }: Refusal, times = 1): void {
    this.catcher.refuseWith(Number(name), times);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.catcher[Symbol.asyncDispose]());
  }
}

export class WebhookRig implements ChannelRig {
  readonly provider = 'webhook';
  readonly abilities = { retracts: true };
  readonly stages = [-1, 0, 1, 2];
  readonly refusals: readonly Refusal[] = [
    ...['408', '425', '429', '500', '503'].map((name) => ({ name, means: 'retry' as const })),
    ...['301', '400', '404', '413'].map((name) => ({ name, means: 'rejected' as const })),
    ...['401', '403'].map((name) => ({ name, means: 'credentials_refused' as const })),
    { name: '410', means: 'gone' },
  ];
  readonly server: HttpRecorder;
  #secret = '';
  #taken = 0;
  #takenRetracted = 0;

  private constructor(server: HttpRecorder) {
    this.server = server;
  }

  static async start(): Promise<WebhookRig> {
    return new WebhookRig(await HttpRecorder.start());
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

  /** As the reference library does: one of the signatures must be right. */
  #checkSignature(body: string, headers: Readonly<Record<string, unknown>>): void {
    const key = Buffer.from(this.#secret.slice('whsec_'.length), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    const signatures = String(headers['webhook-signature']).split(' ');
    if (this.#isChecked) assert.ok(signatures.includes(expected), 'the signature is wrong');
  }

  #isChecked = true;

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

  takeRetracted(): number {
    const all = this.#events('nudge.retracted').reduce((sum, { data }) => sum + data.nudges.length, 0);
    const fresh = all - this.#takenRetracted;
    this.#takenRetracted = all;
    return fresh;
  }

  refuse({ name }: Refusal, times = 1): void {
    this.server.faults.next(...Array(times).fill({ status: Number(name), headers: { location: '/elsewhere' } }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server[Symbol.asyncDispose]();
  }
}

export const CHANNEL_RIGS: readonly { readonly name: string; start(): Promise<ChannelRig> }[] = [
  { name: 'email', start: () => EmailRig.start() },
  { name: 'webhook', start: () => WebhookRig.start() },
];
