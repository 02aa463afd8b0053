/**
 * ntfy: a topic on a public server or on the person's own. If the person names no server, the service invents a topic
 * that nobody can guess. On a public server, anyone who knows a topic without a token can read its messages, so they do
 * not name the task.
 */

import { createHash, randomBytes } from 'node:crypto';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { addressOf, hostOf, serverOf } from '../../lib/server-of.ts';
import { words } from '../../lib/words.ts';
import type { Method } from '../../outbound/http-sender.ts';
import { type ChannelHttp, withoutTrailingSlashes } from '../channel-http.ts';
import {
  type Address,
  AddressProblem,
  type ChannelMessage,
  type ChannelProvider,
  type HeldMessage,
  type Nudged,
  PLACES_PER_SERVER,
  type Retraction,
} from '../channel-provider.ts';
import type { DayBudget, HeldRef, Holds, PushResult } from '../gateway.ts';
import { classify, classifyHeld, classifyRetraction, hasSequence } from './classify.ts';
import { isHere, mayBeElsewhere, resolverFor } from './elsewhere.ts';
import { buildHeld, buildMessage, shownTitle } from './payload.ts';

const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;
const TOPIC_BYTES = 20;
const INVENTED_TOPIC = /^crescendo-[0-9a-f]{40}$/;
/** Everybody's server, also where the operator chose it for people without one of their own. */
const PUBLIC_HOST = 'ntfy.sh';

/** The server allows 10 seconds; a request on the way may take some of them. */
const SHORTEST_DELAY_MS = 30_000;
const LONGEST_DELAY_MS = 3 * 86_400_000;
/** For everybody behind one address, or for one access token. */
const PUBLIC_MESSAGES_PER_DAY = 250;
const MOST_REMEMBERED = 10_000;

export interface UnderstudyOptions {
  readonly isOn: boolean;
  /** Also a server on this machine, which protects against a crash of this service alone. */
  readonly anywhere: boolean;
  /** The host of BASE_URL. */
  readonly ownHost: string;
}

export class NtfyProvider implements ChannelProvider {
  readonly kind;
  readonly shownTitle = shownTitle;
  readonly maxInFlight = 200;
  readonly placesPerServer = PLACES_PER_SERVER;
  readonly #http: ChannelHttp;
  readonly #clock: Clock;
  readonly #server: string;
  readonly #token: string | undefined;
  readonly #understudies: UnderstudyOptions;
  readonly holds: Holds | undefined;
  /** Servers that have shown that they can take messages back. */
  readonly #holding = new BoundedMap<string, true>(MOST_REMEMBERED);

  /** `server` is for channels that name none. `token` is used there by channels without a token. */
  constructor(
    http: ChannelHttp,
    clock: Clock,
    server: string,
    token: string | undefined,
    understudies: UnderstudyOptions = { isOn: true, anywhere: false, ownHost: '' },
  ) {
    this.#http = http;
    this.#clock = clock;
    this.#server = canonical(server);
    this.#token = token;
    this.#understudies = understudies;
    this.holds = understudies.isOn
      ? {
          minMs: SHORTEST_DELAY_MS,
          maxMs: LONGEST_DELAY_MS,
          isElsewhere: (named) =>
            named !== null && (understudies.anywhere || mayBeElsewhere(named, understudies.ownHost)),
        }
      : undefined;
    this.kind = {
      provider: 'ntfy',
      title: words.channels.ntfy.title,
      summary: words.channels.ntfy.summary,
      fields: [
        {
          name: 'server',
          label: words.channels.ntfy.server.label,
          hint: words.channels.ntfy.server.hint(server),
          type: 'url',
          required: false,
          secret: false,
        },
        {
          name: 'topic',
          ...words.channels.ntfy.topic,
          type: 'text',
          required: false,
          secret: true,
          generated: true,
        },
        {
          name: 'token',
          ...words.channels.ntfy.token,
          type: 'text',
          required: false,
          secret: true,
        },
      ],
      confirmation: 'code',
      abilities: { replaces: true, retracts: true, buttons: true, receipts: false, holds: true },
      strengths: words.channels.ntfy.strengths,
      tier: 0,
    } as const;
  }

  readAddress(fields: Address, before?: Address): Address | AddressProblem {
    const written = fields.server ?? before?.server ?? '';
    const server = URL.canParse(written) ? canonical(written) : written || this.#server;
    const problem = server === this.#server ? undefined : this.#http.findProblem(written);
    if (problem) return new AddressProblem('server', problem);
    if (/[?#]/.test(written)) return new AddressProblem('server', 'end with the path of the server');
    const topic = (fields.topic ?? before?.topic) || `crescendo-${randomBytes(TOPIC_BYTES).toString('hex')}`;
    if (!TOPIC.test(topic)) return new AddressProblem('topic', 'be 1 to 64 letters, digits, - or _');
    const token = fields.token ?? before?.token ?? '';
    if (!/^[\x21-\x7e]{0,200}$/.test(token)) return new AddressProblem('token', 'be an access token of the server');
    return { server, topic, ...(token && { token }) };
  }

  identify({ server = '', topic = '' }: Address): string {
    return `${canonical(server)}/${topic}`;
  }

  label({ server = '', topic = '' }: Address): string {
    return `${new URL(server).host} …${topic.slice(-4)}`;
  }

  /** A server that the operator named is theirs or the person's own; without a token, any other may be open to all. */
  isPublic({ server = '', token }: Address): boolean {
    return token === undefined && (hostOf(server) === PUBLIC_HOST || !this.isOperators({ server }));
  }

  /** The ntfy app subscribes by the link. The topic is for people who type it. */
  setUp({ server = '', topic = '' }: Address): Record<string, string> {
    const { host, protocol } = new URL(server);
    const insecure = protocol === 'http:' ? '?secure=false' : '';
    return { topic, server, web: `${server}/${topic}`, app: `ntfy://${host}/${topic}${insecure}` };
  }

  originOf({ server = '' }: Address): string {
    return serverOf(server);
  }

  hasToken({ token }: Address): boolean {
    return token !== undefined;
  }

  isOperators({ server = '' }: Address): boolean {
    return this.#isDefault(server) || this.#http.isListed(server);
  }

  #isDefault(server: string): boolean {
    return canonical(server) === this.#server;
  }

  async send(message: ChannelMessage, address: Address, signal: AbortSignal): Promise<PushResult> {
    const { server = '', topic = '' } = address;
    // An unconfirmed topic that the person named may belong to a stranger: the operator's token must not write there.
    const isUnconfirmed = message.kind === 'confirm' && !INVENTED_TOPIC.test(topic);
    const credentials = isUnconfirmed ? address : this.#withToken(address);
    const answer = await this.#request('POST', server, credentials, signal, buildMessage(message, topic));
    const { threadId } = message;
    const ref = threadId !== null && hasSequence(answer, threadId) ? threadId : undefined;
    return classify(answer, this.#clock.now(), ref);
  }

  /** A server that cannot take a message back must not hold one. One that can delete has both abilities, from 2.16 on. */
  async hold(message: HeldMessage, address: Address, signal: AbortSignal): Promise<PushResult> {
    const { server = '', topic = '' } = address;
    if (!this.#holding.has(server)) {
      const isElsewhere =
        this.#understudies.anywhere || !(await isHere(server, resolverFor(this.isOperators(address))));
      if (!isElsewhere) return { kind: 'rejected', reason: 'same_machine' };
      const answer = await this.#delete(message.ref, address, signal);
      if (answer.status === 404 || answer.status === 405) return { kind: 'rejected', reason: 'server_too_old' };
      if (answer.status >= 300) return classify(answer, this.#clock.now());
      this.#holding.set(server, true);
    }
    const credentials = this.#withToken(address);
    const answer = await this.#request('POST', server, credentials, signal, buildHeld(message, topic));
    return classifyHeld(answer, this.#clock.now(), message.ref);
  }

  findDayBudget(address: Address): DayBudget | null {
    const { server = '' } = address;
    if (hostOf(server) !== PUBLIC_HOST) return null;
    const { token } = this.#withToken(address);
    const account = token ? ` ${createHash('sha256').update(token).digest('hex').slice(0, 16)}` : '';
    return { key: `${PUBLIC_HOST}${account}`, most: PUBLIC_MESSAGES_PER_DAY };
  }

  async release({ ref }: HeldRef, address: Address, signal: AbortSignal): Promise<PushResult> {
    return classifyRetraction(await this.#delete(ref, address, signal), this.#clock.now());
  }

  #delete(ref: string, address: Address, signal: AbortSignal) {
    const { server = '', topic = '' } = address;
    return this.#request('DELETE', `${server}/${topic}/${ref}`, this.#withToken(address), signal);
  }

  refFor({ threadId }: Nudged): string {
    return threadId;
  }

  async retract({ refs }: Retraction, address: Address, signal: AbortSignal): Promise<PushResult> {
    // All nudges of a task have the same sequence id.
    return classifyRetraction(await this.#delete(refs[0] ?? '', address, signal), this.#clock.now());
  }

  /** A server with users refuses a wrong token here too. Other servers answer everybody. */
  async probe(signal: AbortSignal): Promise<PushResult> {
    const address = this.#withToken({ server: this.#server });
    return classify(await this.#request('GET', `${this.#server}/v1/account`, address, signal), this.#clock.now());
  }

  #withToken(address: Address): Address {
    return this.#token && this.#isDefault(address.server ?? '') ? { token: this.#token, ...address } : address;
  }

  #request(method: Method, url: string, address: Address, signal: AbortSignal, body?: string) {
    const { token } = address;
    const headers = {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const request = { method, url, headers, ...(body !== undefined && { body }) };
    // The operator chose the default server, so it may be in their own network.
    const isTrusted = this.#isDefault(address.server ?? '');
    return isTrusted ? this.#http.requestTrusted(request, signal) : this.#http.request(request, signal);
  }
}

/** The server and the path under which it answers. */
const canonical = (server: string): string => withoutTrailingSlashes(addressOf(server));
