/**
 * Requests to addresses that a person entered. CHANNEL_HOSTS decides which may be called: by default every host with a
 * public address over https, and a private address or plain http only if the operator named the host with its port.
 * Redirects are not followed, since they could lead past the check.
 */

import type { Resolve } from '../lib/name-resolver.ts';
import { compileAllowList, endpointLookups } from './endpoint.ts';
import { type Answer, HttpSender, type Method } from './http-sender.ts';
import { PushError } from './push-error.ts';

export interface ChannelRequest {
  readonly method?: Method;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class ChannelHttp {
  readonly #findEndpoint: ReturnType<typeof compileAllowList>;
  readonly #lookupOf: ReturnType<typeof endpointLookups>;
  readonly #sender: HttpSender;

  constructor(hosts: readonly string[], resolve?: Resolve) {
    this.#findEndpoint = compileAllowList(hosts);
    this.#lookupOf = endpointLookups(resolve);
    this.#sender = new HttpSender();
  }

  /** What is wrong with the URL, as the end of "Input should …"; undefined if it may be called. */
  findProblem(url: string): string | undefined {
    if (!URL.canParse(url)) return 'be a URL that starts with https://';
    return this.#findEndpoint(url) ? undefined : NOT_ALLOWED;
  }

  /** Rejects with `PushError` if the host is not allowed or there is no answer. */
  async request({ method, url, headers = {}, body = '' }: ChannelRequest, signal?: AbortSignal): Promise<Answer> {
    const endpoint = this.#findEndpoint(url);
    if (!endpoint) throw new PushError({ kind: 'rejected', reason: 'endpoint_not_allowed' });
    const post = { method, headers, body, lookup: this.#lookupOf(endpoint) };
    return this.#sender.post(endpoint.url, post, signal);
  }

  /** For the fixed address of a provider, which the operator configured. */
  async requestTrusted(
    { method, url, headers = {}, body = '' }: ChannelRequest,
    signal?: AbortSignal,
  ): Promise<Answer> {
    return this.#sender.post(new URL(url), { method, headers, body }, signal);
  }

  /** The same, with a body of JSON. */
  async postJson(url: string, body: object, signal?: AbortSignal): Promise<Answer> {
    const headers = { 'Content-Type': 'application/json' };
    return this.requestTrusted({ url, headers, body: JSON.stringify(body) }, signal);
  }

  close(): void {
    this.#sender.close();
  }
}

const NOT_ALLOWED =
  'be an https:// address that the internet can reach. For a server in your own network, the person who runs this ' +
  'service adds its host and port to CHANNEL_HOSTS';

/** A pattern such as `/\/+$/` would take time that grows with the square of the length of the address. */
export function withoutTrailingSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end -= 1;
  return address.slice(0, end);
}
