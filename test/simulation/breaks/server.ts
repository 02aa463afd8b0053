/** Deliberate breaks of what people are promised who share a sweep, a provider or a server with others. */
import type { Break } from '../break.ts';

const GATEWAY = 'src/push/channel-gateway.ts';
const SERVERS = 'src/push/servers.ts';
const PLACES = 'src/engine/places.ts';
const DISPATCH = 'src/engine/provider-dispatch.ts';
const BOUNDS = '{ capacity: placesPerServer, maxWaiting: 0 }';

export const SERVER_BREAKS: readonly Break[] = [
  {
    name: 'a gateway offers its places without regard to servers',
    file: GATEWAY,
    piece: 'this.placesPerServer = placesPerServer;',
    replacement: 'this.placesPerServer = undefined;',
    noticedBy: ['fairness', 'fallback'],
  },
  {
    name: 'a server takes any number of messages at once',
    file: GATEWAY,
    piece: 'const { maxInFlight, placesPerServer, sendWithinMs } = provider;',
    replacement: 'const { maxInFlight, maxInFlight: placesPerServer, sendWithinMs } = provider;',
    noticedBy: ['places of a server'],
  },
  {
    name: 'a message that waits for a place cannot be cancelled',
    file: SERVERS,
    piece: BOUNDS,
    replacement: '{ capacity: placesPerServer }',
    also: {
      file: PLACES,
      piece: 'return (this.#gateway.placesPerServer ?? 0) - occupied.total;',
      replacement: 'return 100 - occupied.total;',
    },
    noticedBy: ['never after the end', 'fairness'],
  },
  {
    name: 'a server that hangs takes the places of the others',
    file: SERVERS,
    piece: "const key = server ?? '';\n    const release = await places.acquire(key, signal)",
    replacement: "const key = server ?? '';\n    const release = await places.acquire('', signal)",
    noticedBy: ['fairness', 'fallback'],
  },
  {
    name: 'whoever gets no answer from one server is put off at all of them',
    file: SERVERS,
    piece: 'const person = `${server} ${recipient}`;',
    replacement: 'const person = recipient;',
    noticedBy: ['fairness', 'fallback'],
  },
  {
    name: 'a server that is silent puts off the others',
    file: SERVERS,
    piece: 'const putOff = this.#silentServers.find(server) ?? this.#silentRecipients.find(person);',
    replacement: "const putOff = this.#silentServers.find('') ?? this.#silentRecipients.find(person);",
    also: {
      piece: 'this.#silentServers.note(result, server, recipient);',
      replacement: "this.#silentServers.note(result, '', recipient);",
    },
    noticedBy: ['fairness', 'fallback'],
  },
  {
    name: 'a full claim starts a new round at a server',
    file: DISPATCH,
    piece: 'if (!isShort) continue;',
    replacement: 'if (!isShort) {\n        this.#places.endRounds();\n        continue;\n      }',
    noticedBy: ['fairness'],
  },
  {
    name: 'accounts take no turns at a server',
    file: PLACES,
    piece: 'server.leftOut = left > 0 ? [...server.served] : undefined;',
    replacement: 'server.leftOut = left > 0 ? [] : undefined;',
    noticedBy: ['fairness'],
  },
  {
    name: 'a full claim of the sweep starts a new round',
    file: 'src/limits/turns.ts',
    piece: 'return count < limit && this.startRound();',
    replacement: 'return this.startRound() && count < limit;',
    noticedBy: ['fairness'],
  },
  {
    name: 'the due tasks of loud accounts come before all others',
    file: 'src/engine/sweep.ts',
    piece: 'for (const [ownerId, cost] of batch.costs()) this.#turns.use(ownerId, cost);',
    replacement: '',
    noticedBy: ['fairness'],
  },
];
