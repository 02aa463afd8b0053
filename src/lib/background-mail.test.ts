import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackgroundMail } from './background-mail.ts';
import { AppError } from './errors.ts';
import { createLogger, type Logger } from './logger.ts';
import { disabledMailer, type Mail } from './mailer.ts';

const mail: Mail = { to: 'ada@example.org', subject: 'Hello', text: '', html: '' };

test('a stop waits for mails that are being sent, and for what a refused one leaves to do', async () => {
  const server = Promise.withResolvers<void>();
  const log: string[] = [];
  const mailer = {
    send: async ({ to }: Mail) => {
      await server.promise;
      if (to === 'gone@example.org') throw new Error('no such mailbox');
      log.push(`sent to ${to}`);
    },
    sendOnce: async () => undefined,
    close: () => undefined,
  };
  const background = new BackgroundMail(mailer, createLogger('silent'));
  background.send(async () => mail);
  background.send(
    async () => ({ ...mail, to: 'gone@example.org' }),
    async () => log.push('cleaned up'),
  );
  const settled = background.settled().then(() => log.push('settled'));
  await new Promise(setImmediate);
  assert.deepEqual(log, []);
  server.resolve();
  await settled;
  assert.deepEqual(log, ['sent to ada@example.org', 'cleaned up', 'settled']);
});

test('where no mail is sent, what a failed one leaves to do is done in silence, and a failure of that is logged', async () => {
  const lines: string[] = [];
  const logger = { warn: (_: object, line: string) => void lines.push(line) } as unknown as Logger;
  const background = new BackgroundMail(disabledMailer(), logger);
  let cleaned = 0;
  background.send(
    async () => mail,
    async () => {
      cleaned += 1;
    },
  );
  await background.settled();
  assert.deepEqual([cleaned, lines], [1, []]);
  background.send(
    async () => mail,
    async () => {
      throw new AppError('database_unavailable');
    },
  );
  background.send(async () => undefined);
  await background.settled();
  assert.deepEqual(lines, ['the clean-up after a failed mail failed']);
});
