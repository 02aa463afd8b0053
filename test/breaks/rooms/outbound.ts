import type { RoomBreak } from '../room-break.ts';

const ENDPOINT = 'src/outbound/endpoint.ts';
const BOUNDS = 'src/outbound/fetch-bounds.ts';
const SENDER = 'src/outbound/http-sender.ts';

export const OUTBOUND: readonly RoomBreak[] = [
  {
    name: 'a private IP address in the URL is called',
    promise: 'nobody reaches the network of the server',
    file: ENDPOINT,
    piece: 'if (!isListed || isPrivateLiteral(url)) return undefined;',
    replacement: 'if (!isListed) return undefined;',
    by: ['outbound/endpoint'],
  },
  {
    name: 'plain http is called by *',
    promise: 'what is sent to a chosen host is encrypted',
    file: ENDPOINT,
    piece: "const isListed = url.protocol === 'https:' && (",
    replacement: 'const isListed = url.protocol.length > 0 && (',
    by: ['outbound/endpoint'],
  },
  {
    name: 'a name that only ends like a listed host counts as its subdomain',
    promise: 'only the hosts that the operator listed are called',
    file: ENDPOINT,
    piece: 'return hostname.endsWith(`.${host}`) && labels.pop()',
    replacement: 'return hostname.endsWith(host) && labels.pop()',
    also: { piece: "labels.pop() === '' && labels.every((label) => label !== '')", replacement: 'labels.length > 0' },
    by: ['outbound/endpoint'],
  },
  {
    name: 'credentials in a URL are accepted',
    promise: 'no spelling of an address gets around the check',
    file: ENDPOINT,
    piece: '|| url.username || url.password) return undefined;',
    replacement: ') return undefined;',
    by: ['outbound/endpoint'],
  },
  {
    name: 'the fetches of one account are not bounded',
    promise: 'an account cannot use up the fetches of others',
    file: BOUNDS,
    piece: '  [`${group} account ${userId}`, bounds.perAccount],\n',
    replacement: '  [`${group} account ${userId}`, bounds.inAll],\n',
    by: ['fetch-bounds'],
  },
  {
    name: 'a host that hangs keeps all places',
    promise: 'a host that hangs delays no other',
    file: BOUNDS,
    piece: '  [`${group} host ${canonicalHost(url)}`, bounds.perHost],\n',
    replacement: '',
    by: ['fetch-bounds'],
  },
  {
    name: 'a fetch that ended keeps its place',
    promise: 'documents can be fetched after any number of fetches',
    file: BOUNDS,
    piece: 'for (const [key] of inFlight) add(this.#inFlight, key, -1);',
    replacement: 'for (const [key] of inFlight) add(this.#inFlight, key, 0);',
    by: ['fetch-bounds'],
  },
  {
    name: 'another spelling of a host has other bounds',
    promise: 'no spelling of an address gets around a bound',
    file: ENDPOINT,
    piece: "  while (hostname[end - 1] === '.') end -= 1;\n",
    replacement: '',
    by: ['outbound/endpoint'],
  },
  {
    name: 'a closed sender still opens connections',
    promise: 'a process that stops sends nothing more',
    file: SENDER,
    piece: "if (this.#isClosed) throw new OutboundError('closed');",
    replacement: '',
    by: ['http-sender'],
  },
  {
    name: 'a clock that was set back stops all fetches until it has caught up',
    promise: 'documents can be fetched whatever the clock did',
    file: BOUNDS,
    piece: 'if (window !== this.#window) this.#recent.clear();',
    replacement: 'if (window > this.#window) this.#recent.clear();',
    by: ['fetch-bounds'],
  },
  {
    name: 'each answered post leaves a listener at its signal',
    promise: 'a service that runs for months does not grow',
    file: SENDER,
    piece: "      signal?.removeEventListener('abort', cancel);\n",
    replacement: '',
    by: ['http-sender'],
  },
];
