/** Breaks of messages about requests between people. */
import type { Break } from '../break.ts';

export const REQUEST_BREAKS: readonly Break[] = [
  {
    name: 'phones get messages about requests',
    file: 'src/engine/request-sweep.ts',
    piece: "devices.filter(({ platform }) => platform === 'web').map(toBrowserTarget)",
    replacement: 'devices.map(toBrowserTarget)',
    noticedBy: ['requests'],
  },
  {
    name: 'messages about requests come in quiet hours',
    file: 'src/tasks/requests/request-messages.ts',
    piece: 'if (at > now) return { kind',
    replacement: 'if (at < now) return { kind',
    also: {
      file: 'src/deliveries/request-pushes.ts',
      piece: 'if (waitMs <= 0) return undefined;',
      replacement: 'return undefined;',
    },
    noticedBy: ['requests'],
  },
  {
    name: 'a request that is settled is told all the same',
    file: 'src/tasks/requests/tell-people.ts',
    piece: 'if (wasTold && !isAsked) await settleQuestions(trx, id, now);',
    replacement: '',
    also: {
      file: 'src/tasks/requests/request-messages.ts',
      piece: "if (kind === 'asked' || kind === 'unanswered') return isTold(task);",
      replacement: "if (kind === 'asked' || kind === 'unanswered') return true;",
    },
    noticedBy: ['requests'],
  },
  {
    name: 'a request is repeated for ever',
    file: 'src/tasks/requests/request-messages.ts',
    piece: 'export const MOST_REPEATS = 3;',
    replacement: 'export const MOST_REPEATS = 300;',
    noticedBy: ['requests'],
  },
  {
    name: 'asking again repeats the message of the day',
    file: 'src/tasks/requests/request-messages.ts',
    piece: "if (message.kind === 'asked' && today.some(isOfSame))",
    replacement: "if (message.kind === 'declined' && today.some(isOfSame))",
    noticedBy: ['requests'],
  },
  {
    name: 'messages about requests have no bound',
    file: 'src/tasks/requests/request-messages.ts',
    piece: 'const MOST_A_DAY = 10;',
    replacement: 'const MOST_A_DAY = 1_000;',
    also: { piece: 'const SHARE_OF_ONE = 7;', replacement: 'const SHARE_OF_ONE = 1_000;' },
    noticedBy: ['requests'],
  },
  {
    name: 'the switch turns no message off',
    file: 'src/tasks/requests/request-messages.ts',
    piece: 'recipient.hears_requests && recipient',
    replacement: 'recipient',
    noticedBy: ['requests'],
  },
  {
    name: 'a request is not repeated',
    file: 'src/engine/request-sweep.ts',
    piece: "if (decision.kind === 'send' || decision.kind === 'pass') await planNext(trx, request, now);",
    replacement: '',
    noticedBy: ['requests'],
  },
];
