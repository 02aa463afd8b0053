import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackgroundMail } from './background-mail.ts';
import { createLogger } from './logger.ts';
import type { Mail } from './mailer.ts';

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
