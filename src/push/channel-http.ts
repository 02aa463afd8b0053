/**
 * The requests of channels. CHANNEL_HOSTS decides which addresses of people may be called; the fixed addresses of
 * providers have connections of their own.
 */
import { GuardedHttp } from '../outbound/guarded-http.ts';
import { type Answer, HttpSender, type Method } from '../outbound/http-sender.ts';
import type { Resolve } from '../outbound/name-resolver.ts';
import type { OnPrivateName } from '../outbound/public-lookup.ts';

export interface ChannelRequest {
  readonly method?: Method;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Enough for a list of a hundred text messages. */
const LIST_BYTES = 524_288;

export class ChannelHttp {
  readonly #chosen: GuardedHttp;
  readonly #trusted = new HttpSender();
  /** A request on a connection that was used before may be sent twice. */
  readonly #fresh = new HttpSender({ keepsConnections: false, maxBodyBytes: LIST_BYTES });

  constructor(hosts: readonly string[], resolve?: Resolve, onPrivateName?: OnPrivateName) {
    this.#chosen = new GuardedHttp({ hosts, resolve, onPrivateName });
  }

  /** What is wrong with the URL, as the end of "Input should …"; undefined if it may be called. */
  findProblem(url: string): string | undefined {
    if (!URL.canParse(url)) return 'be a URL that starts with https://';
    return this.#chosen.findEndpoint(url) ? undefined : NOT_ALLOWED;
  }

  /** Whether the operator listed the host with its port. */
  isListed(url: string): boolean {
    return this.#chosen.findEndpoint(url)?.mayBePrivate === true;
  }

  /** Rejects with `OutboundError` if the host is not allowed or there is no answer. */
  async request({ method, url, headers = {}, body = '' }: ChannelRequest, signal?: AbortSignal): Promise<Answer> {
    return this.#chosen.post(url, { method, headers, body }, signal);
  }

  /** For the fixed address of a provider, which the operator configured. */
  async requestTrusted(
    { method, url, headers = {}, body = '' }: ChannelRequest,
    signal?: AbortSignal,
  ): Promise<Answer> {
    return this.#trusted.post(new URL(url), { method, headers, body }, signal);
  }

  /** The same, for what must not be done twice unless we know of it, and for long lists. */
  async requestOnce({ method, url, headers = {}, body = '' }: ChannelRequest, signal?: AbortSignal): Promise<Answer> {
    return this.#fresh.post(new URL(url), { method, headers, body }, signal);
  }

  /** The same, with a body of JSON. */
  async postJson(url: string, body: object, signal?: AbortSignal): Promise<Answer> {
    const headers = { 'Content-Type': 'application/json' };
    return this.requestTrusted({ url, headers, body: JSON.stringify(body) }, signal);
  }

  close(): void {
    this.#chosen.close();
    this.#trusted.close();
    this.#fresh.close();
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
