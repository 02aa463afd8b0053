/**
 * An Apprise API server of the person, the bridge to the services that this project has no provider for. Only keys that
 * the server stores are used: a list of URLs in the request would let its sender make the server call any address.
 */
import type { Clock } from '../../lib/clock.ts';
import type { ChannelHttp } from '../channel-http.ts';
import { type Address, AddressProblem, type ChannelMessage, type ChannelProvider } from '../channel-provider.ts';
import type { PushResult } from '../gateway.ts';
import { classify } from './classify.ts';
import { buildMessage } from './payload.ts';

const KEY = /^[\w-]{1,128}$/;
/** One tag: commas and spaces would combine several, and a retry repeats the message to those that have it already. */
const TAG = /^[\w.-]{1,64}$/;

export class AppriseProvider implements ChannelProvider {
  readonly kind = {
    provider: 'apprise',
    title: 'Apprise',
    summary: 'A server of yours with the Apprise API: Discord, Slack, Matrix, Signal, Gotify and a hundred more.',
    fields: [
      {
        name: 'url',
        label: 'Server',
        hint: 'The address of the Apprise API, without /notify.',
        type: 'url',
        required: true,
        secret: false,
      },
      {
        name: 'key',
        label: 'Configuration key',
        hint: 'The key under which the server stores your services.',
        type: 'text',
        required: true,
        secret: true,
      },
      {
        name: 'tag',
        label: 'Tag',
        hint: 'Give it to one service only. If one of several fails, the others get the message again.',
        type: 'text',
        required: true,
        secret: false,
      },
    ],
    confirmation: 'code',
    abilities: { replaces: false, retracts: false, buttons: false, receipts: false },
    strengths: ['marked as information', 'marked as information', 'marked as a warning', 'marked as a failure'],
    tier: 0,
  } as const;
  readonly maxInFlight = 200;
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
    const { origin, pathname, search, hash } = new URL(written);
    if (search !== '' || hash !== '') return new AddressProblem('url', 'end with the path of the server');
    if (!KEY.test(key)) return new AddressProblem('key', 'be 1 to 128 letters, digits, - or _');
    if (!TAG.test(tag)) return new AddressProblem('tag', 'be one tag of 1 to 64 letters, digits, ., - or _');
    return { url: `${origin}${pathname.replace(/\/+$/, '')}`, key, tag };
  }

  identify({ url, key, tag }: Address): string {
    return `${url} ${key} ${tag}`;
  }

  label({ url = '', tag = '' }: Address): string {
    return `${new URL(url).host} ${tag}`;
  }

  originOf({ url = '' }: Address): string {
    return new URL(url).origin;
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
