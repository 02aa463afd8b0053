import type { RoomBreak } from '../room-break.ts';

const SERVICE = 'src/compose/service.ts';

export const COMPOSE: readonly RoomBreak[] = [
  {
    name: 'a service that stops does not wait for its mails',
    promise: 'a mail to an account is sent, also if the service stops just then',
    file: SERVICE,
    piece: '      await accounts.backgroundMail.settled();\n      await processes.stop();\n      mailer.close();\n',
    replacement: '      mailer.close();\n      await processes.stop();\n',
    by: ['contract/stop.test'],
  },
  {
    name: 'signing out everywhere leaves devices',
    promise: 'a device that was signed out gets no nudge',
    file: 'src/compose/sign-out.ts',
    piece: 'end: (trx, userId, ids) => devices.end(trx, userId, ids),',
    replacement:
      'end: async (trx, userId, ids) => (trx && userId && ids.length > 1_000 ? devices.end(trx, userId, ids) : 0),',
    by: ['contract/sign-out.test'],
  },
  {
    name: 'administrators read the addresses of people’s own servers',
    promise: 'administrators are shown nobody’s addresses',
    file: 'src/compose/understudies.ts',
    piece: 'return known.includes(host) ? host : null;',
    replacement: 'return known.length > 0 ? host : null;',
    by: ['scenario/understudies-told'],
  },
  {
    name: 'nobody is told that anyone can sign up',
    promise: 'an operator opens a service to strangers on purpose only',
    file: 'src/compose/start-warnings.ts',
    piece: 'isPublicUrl(BASE_URL) && SIGN_UP === undefined && SIGN_UP_DOMAINS === undefined)',
    replacement: 'isPublicUrl(BASE_URL) && SIGN_UP !== undefined && SIGN_UP_DOMAINS === undefined)',
    by: ['src/compose/start-warnings'],
  },
  {
    name: 'a service behind a proxy is called unreachable',
    promise: 'a warning at the start is about something that is wrong',
    file: 'src/compose/start-warnings.ts',
    piece: 'BASE_URL === undefined || TRUST_PROXY !== false ||',
    replacement: 'BASE_URL === undefined || TRUST_PROXY === undefined ||',
    by: ['src/compose/start-warnings'],
  },
  {
    name: 'text messages are held although nothing shall be held',
    promise: 'an operator pays for no message that they have switched off',
    file: 'src/compose/channels.ts',
    piece: "config.SMS_UNDERSTUDIES === 'on' && config.UNDERSTUDIES !== 'off'",
    replacement: "config.SMS_UNDERSTUDIES === 'on'",
    by: ['src/compose/channels'],
  },
  {
    name: 'a key for the sandbox of APNs alone sends nothing',
    promise: 'a push goes through each environment that has a key',
    file: 'src/compose/push.ts',
    piece: 'if (Object.keys(keys).length === 0) return undefined;',
    replacement: "if (!('production' in keys)) return undefined;",
    by: ['src/compose/push'],
  },
  {
    name: 'the engine sleeps on after somebody has left a space',
    promise: 'what a person who has left was told is taken back at once',
    file: 'src/compose/tasks.ts',
    piece: 'memberLeft: () => wakeUp(),',
    replacement: 'memberLeft: () => undefined,',
    by: ['contract/wake-ups'],
  },
];
