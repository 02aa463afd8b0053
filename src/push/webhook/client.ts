/** A signed webhook to the person's own address, by Standard Webhooks. The service does not learn who saw the nudge. */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { words } from '../../lib/words.ts';
import type { ChannelHttp } from '../channel-http.ts';
import {
  type Address,
  AddressProblem,
  type ChannelMessage,
  type ChannelProvider,
  type Nudged,
  PLACES_PER_SERVER,
  type Retraction,
} from '../channel-provider.ts';
import type { PushResult } from '../gateway.ts';
import { serverOf } from '../server-of.ts';
import { classify } from './classify.ts';
import { messageBody, retractionBody } from './payload.ts';
import { SECRET_PREFIX, signedHeaders } from './signature.ts';

const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

export class WebhookProvider implements ChannelProvider {
  readonly kind = {
    provider: 'webhook',
    title: words.channels.webhook.title,
    summary: words.channels.webhook.summary,
    fields: [
      {
        name: 'url',
        ...words.channels.webhook.url,
        type: 'url',
        required: true,
        secret: true,
      },
      {
        name: 'secret',
        ...words.channels.webhook.secret,
        type: 'text',
        required: false,
        secret: true,
      },
    ],
    confirmation: 'answer',
    abilities: { replaces: true, retracts: true, buttons: true, receipts: false },
    strengths: words.channels.webhook.strengths,
    tier: 0,
  } as const;
  readonly maxInFlight = 200;
  readonly placesPerServer = PLACES_PER_SERVER;
  readonly #http: ChannelHttp;
  readonly #clock: Clock;

  constructor(http: ChannelHttp, clock: Clock) {
    this.#http = http;
    this.#clock = clock;
  }

  readAddress({ url: written, secret }: Address, before?: Address): Address | AddressProblem {
    const url = written ?? before?.url ?? '';
    const problem = this.#http.findProblem(url);
    if (problem) return new AddressProblem('url', problem);
    if (secret !== undefined && secret !== '' && !SECRET.test(secret)) {
      return new AddressProblem('secret', 'be whsec_ and 24 to 64 bytes of base64');
    }
    const current = secret || (secret === undefined && before?.secret) || newSecret();
    // Until the receiver knows the new secret, it can still check signatures with the old one.
    const former = before?.secret !== current ? before?.secret : before.former;
    return { url, secret: current, ...(former && { former }) };
  }

  identify({ url = '' }: Address): string {
    return new URL(url).href;
  }

  label({ url = '' }: Address): string {
    return `${new URL(url).host} …${url.slice(-4)}`;
  }

  setUp({ secret = '' }: Address): Record<string, string> {
    return { secret };
  }

  originOf({ url = '' }: Address): string {
    return serverOf(url);
  }

  async send(message: ChannelMessage, address: Address, signal: AbortSignal): Promise<PushResult> {
    const body = messageBody(message, this.#clock.now());
    return this.#post(message.id, body, address, signal, message.kind === 'nudge' ? message.id : undefined);
  }

  refFor({ id }: Nudged): string {
    return id;
  }

  async retract(retraction: Retraction, address: Address, signal: AbortSignal): Promise<PushResult> {
    return this.#post(retraction.id, retractionBody(retraction, this.#clock.now()), address, signal);
  }

  async #post(id: string, body: string, address: Address, signal: AbortSignal, ref?: string): Promise<PushResult> {
    const { url = '', secret = '', former } = address;
    const now = this.#clock.now();
    const headers = signedHeaders(id, body, former ? [secret, former] : [secret], now);
    return classify(await this.#http.request({ url, headers, body }, signal), now, ref);
  }
}

const newSecret = () => SECRET_PREFIX + randomBytes(32).toString('base64');
