import type { RoomBreak } from '../room-break.ts';

const SERVICE = 'src/connections/connections.service.ts';
const STORE = 'src/connections/connections.store.ts';
const secrets = ['contract/connections-secrets'];

export const CONNECTIONS: readonly RoomBreak[] = [
  {
    name: 'a code that is shown twice ends nothing',
    promise: 'who steals a code gains nothing by it',
    file: SERVICE,
    piece: "if (found?.token_id) await this.#end(found.user_id, found.token_id, 'code_reused', asking.address);",
    replacement: '',
    by: secrets,
  },
  {
    name: 'a code works with any verifier that begins alike',
    promise: 'a code is of use only to the assistant that asked for it',
    file: SERVICE,
    piece:
      "VERIFIER.test(verifier) && isEqualSecret(createHash('sha256').update(verifier).digest('base64url'), challenge);",
    replacement:
      "VERIFIER.test(verifier) || isEqualSecret(createHash('sha256').update(verifier).digest('base64url'), challenge);",
    by: secrets,
  },
  {
    name: 'a suspended account keeps its connections',
    promise: 'a suspended account does nothing',
    file: SERVICE,
    piece: "found?.kind !== 'access' || found.secret_expires_at <= clock.now() || found.suspended_at)",
    replacement: "found?.kind !== 'access' || found.secret_expires_at <= clock.now())",
    by: ['contract/connections.test'],
  },
  {
    name: 'the same refresh token can be exchanged without end',
    promise: 'a stolen refresh token is noticed',
    file: STORE,
    piece: "eb.or([eb('used_at', 'is', null), eb('used_at', '>', graceFrom)])",
    replacement: "eb.or([eb('used_at', 'is', null), eb('used_at', '<=', now), eb('used_at', '>', graceFrom)])",
    by: secrets,
  },
  {
    name: 'a code is stored for a session that has ended',
    promise: 'a thief who was signed out connects no assistant',
    file: 'src/connections/consent.service.ts',
    piece: '      await requireLiveSession(trx, caller);\n',
    replacement: '      void requireLiveSession;\n',
    by: ['contract/ended-sessions'],
  },
  {
    name: 'an address that begins like a registered one gets the code',
    promise: 'a code goes only where the assistant said before',
    file: 'src/connections/redirect-uri.ts',
    piece: '(one) => one === uri ||',
    replacement: '(one) => uri.startsWith(one) ||',
    by: ['contract/connections-requests'],
  },
  {
    name: 'a document that was withdrawn is kept for a day',
    promise: 'an assistant that its maker withdrew is connected no more',
    file: 'src/connections/client-documents.ts',
    piece: "if (error.kind !== 'unreachable') this.#kept.delete(href);",
    replacement: "if (error.kind === 'unreachable') this.#kept.delete(href);",
    by: ['contract/connections-documents'],
  },
  {
    name: 'an assertion for another service is taken',
    promise: 'what a client shows elsewhere is of no use here',
    file: 'src/connections/client-proof.ts',
    piece: '        audience: [...audiences],\n',
    replacement: '',
    by: secrets,
  },
  {
    name: 'a shortest wait that was taken away comes back',
    promise: 'the limits of a connection are the ones its person chose',
    file: 'src/connections/consent.service.ts',
    piece: 'rails.shortest_wait === undefined ? held?.shortest_wait : rails.shortest_wait',
    replacement: 'rails.shortest_wait ?? held?.shortest_wait',
    by: ['contract/connections-requests'],
  },
  {
    name: 'refreshes are counted per person',
    promise: 'a loud assistant refuses no other one',
    file: 'src/connections/connections.service.ts',
    piece: 'await limitRefreshes(found.id);',
    replacement: 'await limitRefreshes(found.user_id);',
    by: ['contract/connections.test'],
  },
  {
    name: 'the rails of a connection that has ended are proposed',
    promise: 'what was allowed until some day is not proposed after it',
    file: 'src/connections/connections.store.ts',
    piece: "    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))\n",
    replacement: "    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', 'is not', null)]))\n",
    by: ['contract/connections.test'],
  },
  {
    name: 'signing out everywhere forgets which codes were fetched',
    promise: 'who steals a code gains nothing by it',
    file: 'src/connections/connections.store.ts',
    piece: ".where('user_id', '=', userId).where('token_id', 'is', null).execute();",
    replacement: ".where('user_id', '=', userId).execute();",
    by: ['contract/connections-endings'],
  },
  {
    name: 'a document is fresh for as long as its host likes',
    promise: 'an assistant that was withdrawn is known for an hour at most',
    file: 'src/connections/client-documents.ts',
    piece: 'Math.min(Math.max(Number(seconds ?? 0) * 1_000, FRESH_AT_LEAST_MS), FRESH_AT_MOST_MS)',
    replacement: 'Math.max(Number(seconds ?? 0) * 1_000, FRESH_AT_LEAST_MS)',
    by: ['contract/connections-documents'],
  },
  {
    name: 'a client vouches for keys at the hosts of others',
    promise: 'nobody makes the service fetch from a host without the bounds of strangers',
    file: 'src/connections/client-documents.ts',
    piece: 'canonicalHost(url) === canonicalHost(new URL(id));',
    replacement: 'canonicalHost(url) !== id;',
    by: ['contract/connections-documents'],
  },
];
