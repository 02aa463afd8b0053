/**
 * An Apprise API server of the person, the bridge to the services that this project has no provider for. Only keys that
 * the server stores are used: a list of URLs in the request would let its sender make the server call any address.
 */

import type { Clock } from '../../lib/clock.ts';
import { addressOf, serverOf } from '../../lib/server-of.ts';
import { words } from '../../lib/words.ts';
import { type ChannelHttp, withoutTrailingSlashes } from '../channel-http.ts';
import {
  type Address,
  AddressProblem,
  type ChannelMessage,
  type ChannelProvider,
  PLACES_PER_SERVER,
} from '../channel-provider.ts';
import type { PushResult } from '../gateway.ts';
import { classify } from './classify.ts';
import { buildMessage, shownTitle } from './payload.ts';

const KEY = /^[\w-]{1,128}$/;
/** One tag only. With several, a retry would repeat the message to services that already have it. */
const TAG = /^[\w.-]{1,64}$/;

export class AppriseProvider implements ChannelProvider {
  readonly kind = {
    provider: 'apprise',
    title: words.channels.apprise.title,
    summary: words.channels.apprise.summary,
    fields: [
      {
        name: 'url',
        ...words.channels.apprise.url,
        type: 'url',
        required: true,
        secret: false,
      },
      {
        name: 'key',
        ...words.channels.apprise.key,
        type: 'text',
        required: true,
        secret: true,
      },
      {
        name: 'tag',
        ...words.channels.apprise.tag,
        type: 'text',
        required: true,
        secret: false,
      },
    ],
    confirmation: 'code',
    abilities: { replaces: false, retracts: false, buttons: false, receipts: false },
    strengths: words.channels.apprise.strengths,
    tier: 0,
  } as const;
  readonly shownTitle = shownTitle;
  readonly maxInFlight = 200;
  readonly placesPerServer = PLACES_PER_SERVER;
  readonly #http: ChannelHttp;
  readonly #clock: Clock;

  constructor(http: ChannelHttp, clock: Clock) {
    this.#http = http;
    this.#clock = clock;
  }

  readAddress(fields: Address, before: Address = {}): Address | AddressProblem {
    const { url: written = '', key = '', tag = '' } = { ...before, ...fields };
    const problem = this.#http.findProblem(written);
    if (problem) return new AddressProblem('url', problem);
    const { pathname, search, hash } = new URL(written);
    if (search !== '' || hash !== '') return new AddressProblem('url', 'end with the path of the server');
    if (!KEY.test(key)) return new AddressProblem('key', 'be 1 to 128 letters, digits, - or _');
    if (!TAG.test(tag)) return new AddressProblem('tag', 'be one tag of 1 to 64 letters, digits, ., - or _');
    return { url: `${serverOf(written)}${withoutTrailingSlashes(pathname)}`, key, tag };
  }

  identify({ url = '', key, tag }: Address): string {
    return `${withoutTrailingSlashes(addressOf(url))} ${key} ${tag}`;
  }

  label({ url = '', tag = '' }: Address): string {
    return `${new URL(url).host} ${tag}`;
  }

  originOf({ url = '' }: Address): string {
    return serverOf(url);
  }

  isOperators({ url = '' }: Address): boolean {
    return this.#http.isListed(url);
  }

  async send(message: ChannelMessage, { url, key, tag = '' }: Address, signal: AbortSignal): Promise<PushResult> {
    const request = {
      url: `${url}/notify/${key}`,
      headers: { 'Content-Type': 'application/json' },
      body: buildMessage(message, tag),
    };
    return classify(await this.#http.request(request, signal), this.#clock.now());
  }
}
