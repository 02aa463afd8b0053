/**
 * The one way to an address that somebody chose: a person, a browser, an assistant. Whoever chose it must not reach the
 * network of the server with it.
 *
 * - A list of hosts decides what may be called: by `*` every https host with a public address; a private address or
 *   plain http only if the operator named the host with its port.
 * - The connection goes to the address that was checked. Names that are looked up in different ways never share a
 *   connection, and none is shared with calls to addresses that the operator chose.
 * - Redirects are not followed, since they could lead past the check. An answer is cut by size and by time.
 * - A name that leads into a private network fails like a name that does not exist. Only the operator learns why.
 *
 * `scripts/connection-rules.ts` lists every other file that opens a connection, and `npm run check` fails on a new one.
 */
import { type AllowedEndpoint, compileAllowList, type LookupKind, lookupKindOf, lookupsByKind } from './endpoint.ts';
import { type Answer, HttpSender, type Post, type SenderOptions } from './http-sender.ts';
import type { Resolve } from './name-resolver.ts';
import { NOT_ALLOWED, OutboundError } from './outbound-error.ts';
import type { OnPrivateName } from './public-lookup.ts';

export interface GuardOptions extends Omit<SenderOptions, 'lookup'> {
  /** Which hosts may be called, as in CHANNEL_HOSTS and WEB_PUSH_HOSTS. */
  readonly hosts: readonly string[];
  readonly onPrivateName?: OnPrivateName | undefined;
  /** Set by tests only. */
  readonly resolve?: Resolve | undefined;
}

export class GuardedHttp {
  readonly #findEndpoint: ReturnType<typeof compileAllowList>;
  readonly #senders: Readonly<Record<LookupKind, HttpSender>>;

  constructor({ hosts, onPrivateName, resolve, ...options }: GuardOptions) {
    this.#findEndpoint = compileAllowList(hosts);
    const { trusted, named, other } = lookupsByKind(resolve, onPrivateName);
    this.#senders = {
      trusted: new HttpSender({ ...options, lookup: trusted }),
      named: new HttpSender({ ...options, lookup: named }),
      other: new HttpSender({ ...options, lookup: other }),
    };
  }

  /** Undefined if the address may not be called. */
  findEndpoint(address: string): AllowedEndpoint | undefined {
    return this.#findEndpoint(address);
  }

  /** Rejects with `OutboundError` if the address may not be called or there is no answer. */
  async post(address: string, post: Post, signal?: AbortSignal): Promise<Answer> {
    const endpoint = this.#findEndpoint(address);
    if (!endpoint) throw new OutboundError(NOT_ALLOWED);
    return this.#senders[lookupKindOf(endpoint)].post(endpoint.url, post, signal);
  }

  /** Breaks all connections, so requests in flight reject. */
  close(): void {
    for (const sender of Object.values(this.#senders)) sender.close();
  }
}
