/**
 * A signed webhook to the person's own address, by Standard Webhooks. The service does not learn who saw the nudge. That
 * a server answers 2xx proves nothing: every front page does.
 */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { addressOf, serverOf } from '../../lib/server-of.ts';
import { words } from '../../lib/words.ts';
import type { Answer } from '../../outbound/http-sender.ts';
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
import { classify, echoes } from './classify.ts';
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
        generated: true,
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
    return addressOf(url);
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

  isOperators({ url = '' }: Address): boolean {
    return this.#http.isListed(url);
  }

  async send(message: ChannelMessage, address: Address, signal: AbortSignal): Promise<PushResult> {
    const { id, kind, confirm } = message;
    const answer = await this.#post(id, messageBody(message, this.#clock.now()), address, signal);
    const result = classify(answer, this.#clock.now(), kind === 'nudge' || kind === 'request' ? id : undefined);
    const isEchoed = result.kind === 'accepted' && confirm !== null && echoes(answer, confirm.challenge);
    return isEchoed ? { ...result, isEchoed } : result;
  }

  refFor({ id }: Nudged): string {
    return id;
  }

  async retract(retraction: Retraction, address: Address, signal: AbortSignal): Promise<PushResult> {
    const body = retractionBody(retraction, this.#clock.now());
    return classify(await this.#post(retraction.id, body, address, signal), this.#clock.now());
  }

  #post(id: string, body: string, address: Address, signal: AbortSignal): Promise<Answer> {
    const { url = '', secret = '', former } = address;
    const headers = signedHeaders(id, body, former ? [secret, former] : [secret], this.#clock.now());
    return this.#http.request({ url, headers, body }, signal);
  }
}

const newSecret = () => SECRET_PREFIX + randomBytes(32).toString('base64');
