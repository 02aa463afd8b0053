import type { RoomBreak } from '../room-break.ts';

const SUBSCRIPTIONS = 'src/agents/subscriptions.ts';
const consent = ['contract/mcp-consent'];

export const AGENTS: readonly RoomBreak[] = [
  {
    name: 'one task is dropped without a question',
    promise: 'an assistant drops nothing before the person has agreed',
    file: 'src/agents/close-tasks.ts',
    piece: "if (as !== 'dropped' && ids.length === 1) return close(closing, ids);",
    replacement: 'if (ids.length === 1) return close(closing, ids);',
    by: consent,
  },
  {
    name: 'the code of a dry run never ends',
    promise: 'an agreement counts for ten minutes',
    file: 'src/agents/consent-codes.ts',
    piece: 'if (expires.readUIntBE(0, TIME_BYTES) < now.getTime()) return undefined;',
    replacement: 'if (expires.readUIntBE(0, TIME_BYTES) < 0 * now.getTime()) return undefined;',
    by: consent,
  },
  {
    name: 'the code of a dry run counts for every connection of the account',
    promise: 'what a person agreed to with one assistant, no other one does',
    file: 'src/agents/mcp.routes.ts',
    piece: "caller: JSON.stringify([caller.userId, caller.kind === 'token' ? caller.tokenId : null]),",
    replacement: 'caller: JSON.stringify([caller.userId, caller.kind]),',
    by: consent,
  },
  {
    name: 'the second page of tasks is missing',
    promise: 'what an assistant reads of a task is as it is now',
    file: 'src/agents/define-tool.ts',
    piece: 'start < ids.length; start += MOST_IDS',
    replacement: 'start < Math.min(ids.length, MOST_IDS); start += MOST_IDS',
    by: ['src/agents/needed-scopes'],
  },
  {
    name: 'only the first message of a batch needs its scope',
    promise: 'a batch that is not allowed is refused before any of it is done',
    file: 'src/agents/needed-scopes.ts',
    piece: 'const needed = [messages].flat().map(',
    replacement: 'const needed = [messages].flat().slice(0, 1).map(',
    by: ['src/agents/needed-scopes'],
  },
  {
    name: 'a service that stops does not wait for subscriptions that look',
    promise: 'a service that stops leaves nothing half done',
    file: SUBSCRIPTIONS,
    piece: 'await Promise.all(all.map(({ looking }) => looking));',
    replacement: 'void Promise.all(all.map(({ looking }) => looking));',
    by: ['src/agents/subscriptions'],
  },
  {
    name: 'a change during a look is told to nobody',
    promise: 'an assistant that listens is told of every change',
    file: SUBSCRIPTIONS,
    piece: '      subscription.isStale = false;\n      await this.#lookOnce(subscription);\n',
    replacement: '      await this.#lookOnce(subscription);\n      subscription.isStale = false;\n',
    by: ['src/agents/subscriptions'],
  },
  {
    name: 'a subscription that has ended looks on',
    promise: 'nobody looks for a client that has gone',
    file: 'src/agents/subscriptions.ts',
    piece: '    subscription.left.abort();\n',
    replacement: '',
    by: ['src/agents/subscriptions'],
  },
  {
    name: 'a client that left while its stream was opened stays a subscriber',
    promise: 'streams of clients that left take no place',
    file: 'src/agents/listen.ts',
    piece: '  if (reply.raw.destroyed) end();\n',
    replacement: '',
    by: ['agents/subscriptions'],
  },
];
