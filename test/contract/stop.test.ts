import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackgroundMail } from '../../src/lib/background-mail.ts';
import { onEveryEngine } from '../support/engines.ts';
import { startMailCatcher } from '../support/mail-catcher.ts';
import { createPerson } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

onEveryEngine((engine) => {
  test('a mail that is being sent when the service stops arrives', async ({ mock }) => {
    await using catcher = await startMailCatcher();
    const app = await startTestApp(engine, { settings: { SMTP_URL: catcher.url } });
    const held = catcher.holdWhile(/access token/i);
    const ada = await createPerson(app, 'ada@example.org');
    await ada.ask('POST', '/v1/tokens', { name: 'agent', scopes: ['tasks:read'] });
    await waitUntil(() => held.count === 1);
    const { settled } = BackgroundMail.prototype;
    const settling = Promise.withResolvers<void>();
    mock.method(BackgroundMail.prototype, 'settled', function (this: BackgroundMail) {
      settling.resolve();
      return settled.call(this);
    });
    let isStopped = false;
    const stopping = app[Symbol.asyncDispose]().then(() => {
      isStopped = true;
    });
    await Promise.race([settling.promise, stopping]);
    assert.deepEqual([isStopped, catcher.mails.length], [false, 0]);
    held.release();
    await stopping;
    assert.deepEqual(
      catcher.mails.map(({ to }) => to),
      [['ada@example.org']],
    );
  });
});
