/** The fake providers of a drill, each with the real protocol, and everything that they accepted. */
import { setInterval as every } from 'node:timers/promises';
import { systemClock } from '../../src/lib/clock.ts';
import { FakeApns } from '../support/apns-server.ts';
import { echo } from '../support/channel-rig.ts';
import { FakeFcm } from '../support/fcm-server.ts';
import { HttpRecorder, type Recorded } from '../support/http-recorder.ts';
import { type MailCatcher, startMailCatcher } from '../support/mail-catcher.ts';
import type { Arrival, Book } from './book.ts';
import { Senders } from './senders.ts';

const COLLECT_EVERY_MS = 50;

/** How many of what each accepted were taken. */
type Taken = Record<'apns' | 'fcm' | 'webhooks' | 'mail', number>;

/** The buttons of a message, by the nudge. */
export interface Shown {
  readonly nudgeId: string;
  readonly done: string;
}

/** A mail names nothing but the title. */
interface NudgeMail {
  readonly email: string;
  readonly title: string;
  readonly at: number;
  readonly sender: number | undefined;
}

export class Providers implements AsyncDisposable {
  readonly apns: FakeApns;
  readonly fcm: FakeFcm;
  readonly webhooks: HttpRecorder;
  readonly mail: MailCatcher;
  readonly senders: Senders;
  readonly #book: Book;
  readonly #parts: AsyncDisposableStack;
  readonly #taken: Taken = { apns: 0, fcm: 0, webhooks: 0, mail: 0 };
  /** Mails of tasks that the book does not know yet: the nudge of a task that is due at once can be quicker than the answer. */
  #unmatched: NudgeMail[] = [];
  readonly #stopping = new AbortController();
  readonly #byTask = new Map<string, Arrival[]>();
  readonly #shown = new Map<string, Shown>();
  /** The newest code that was mailed to an address. */
  readonly codes = new Map<string, string>();

  private constructor(
    book: Book,
    parts: AsyncDisposableStack,
    fakes: Pick<Providers, 'apns' | 'fcm' | 'webhooks' | 'mail' | 'senders'>,
  ) {
    this.#book = book;
    this.#parts = parts;
    this.apns = fakes.apns;
    this.fcm = fakes.fcm;
    this.webhooks = fakes.webhooks;
    this.mail = fakes.mail;
    this.senders = fakes.senders;
    const collecting = this.#collectAlways();
    parts.defer(() => {
      this.#stopping.abort();
      return collecting;
    });
  }

  static async start(book: Book): Promise<Providers> {
    const parts = new AsyncDisposableStack();
    return new Providers(book, parts, {
      senders: parts.use(new Senders()),
      apns: parts.use(await FakeApns.start(systemClock(), { scheme: 'http' })),
      fcm: parts.use(await FakeFcm.start(systemClock())),
      webhooks: parts.use(await HttpRecorder.start(echo)),
      mail: parts.use(await startMailCatcher()),
    });
  }

  get settings(): Record<string, string> {
    return {
      ...this.apns.settings,
      ...this.fcm.settings,
      CHANNEL_HOSTS: `*,${this.webhooks.host}`,
      SMTP_URL: this.mail.url,
    };
  }

  get arrivals(): readonly Arrival[] {
    return [...this.#byTask.values()].flat();
  }

  /** The account of its owner was deleted. */
  forget(taskId: string): void {
    this.#byTask.delete(taskId);
    this.#shown.delete(taskId);
  }

  ofTask(taskId: string): readonly Arrival[] {
    return this.#byTask.get(taskId) ?? [];
  }

  /** The newest message about the task at a webhook. */
  shownOf(taskId: string): Shown | undefined {
    return this.#shown.get(taskId);
  }

  async #collectAlways(): Promise<void> {
    try {
      for await (const _ of every(COLLECT_EVERY_MS, undefined, { signal: this.#stopping.signal })) this.collect();
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error;
    }
  }

  /** Takes what came since the last call. */
  collect(): void {
    const at = Date.now();
    const { apns, fcm, webhooks, mail, senders } = this;
    for (const { token, body, port } of this.#since('apns', apns.pushes))
      this.#addPush(`iPhone ${token}`, body.task_id, port, at);
    const ports = fcm.ports.slice(this.#taken.fcm);
    for (const [index, { token, data }] of this.#since('fcm', fcm.messages).entries())
      this.#addPush(`Android ${token}`, data.task_id, ports[index], at);
    for (const request of this.#since('webhooks', webhooks.requests)) this.#addEvent(request, at);
    for (const { to, raw, port } of this.#since('mail', mail.mails))
      this.#readMail(String(to[0]), raw, { at, sender: senders.of(port) });
    this.#unmatched = this.#unmatched.filter((mail) => !this.#addMail(mail));
  }

  #since<T>(name: keyof Taken, all: readonly T[]): readonly T[] {
    const fresh = all.slice(this.#taken[name]);
    this.#taken[name] = all.length;
    return fresh;
  }

  #addPush(target: string, taskId: unknown, port: number | undefined, at: number): void {
    this.#add({ kind: 'nudge', target, taskId: String(taskId), at, sender: this.senders.of(port) });
  }

  #addEvent({ path, headers, body, port }: Recorded, at: number): void {
    const { type, data } = JSON.parse(body);
    const told = { target: `webhook ${path}`, taskId: data.task_id, at, sender: this.senders.of(port) };
    const nudgeId = String(headers['webhook-id']);
    if (type === 'nudge.sent') {
      this.#shown.set(data.task_id, { nudgeId, done: data.actions.done });
      this.#add({ kind: 'nudge', ...told, nudgeId });
    }
    if (type === 'nudge.retracted') this.#add({ kind: 'retraction', ...told, refs: data.nudges });
  }

  #readMail(email: string, raw: string, sent: Pick<Arrival, 'at' | 'sender'>): void {
    const code = /Your sign-in code is (\d{6})\./.exec(raw)?.[1];
    if (code) this.codes.set(email, code);
    else this.#unmatched.push({ email, title: /^Subject: (.*?)\r?$/m.exec(raw)?.[1] ?? '', ...sent });
  }

  #addMail({ email, title, ...sent }: NudgeMail): boolean {
    const task = this.#book.findByTitle(title);
    if (task) this.#add({ kind: 'nudge', target: `mail ${email}`, taskId: task.id, ...sent });
    return task !== undefined;
  }

  #add(arrival: Arrival): void {
    const known = this.#byTask.get(arrival.taskId);
    if (known) known.push(arrival);
    else this.#byTask.set(arrival.taskId, [arrival]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}
