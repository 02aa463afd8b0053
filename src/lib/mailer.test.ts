import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMailCatcher } from '../../test/support/mail-catcher.ts';
import { printingMailer, requiresStartTls, smtpMailer } from './mailer.ts';

const cases: readonly [url: string, isRequired: boolean][] = [
  ['smtp://u:p@mail.example.org:587', true],
  ['smtp://u:p@10.0.0.2', true],
  ['smtp://u:p@127.example.org', true],
  ['smtp://u:p@localhost.example.org', true],
  ['smtp://u:p@mail.example.org?ignoreTLS=false', true],
  ['smtp://u:p@mail.example.org?ignoreTLS=true', false],
  ['smtp://u:p@mail.example.org?requireTLS=false', false],
  ['smtp://mail.example.org', false],
  ['smtps://u:p@mail.example.org', false],
  ['smtp://u:p@LocalHost:25', false],
  ['smtp://u:p@127.0.0.1:25', false],
  ['smtp://u:p@[::1]:25', false],
];

for (const [url, isRequired] of cases) {
  test(`STARTTLS is ${isRequired ? 'required' : 'not required'} for ${url}`, () => {
    assert.equal(requiresStartTls(url), isRequired);
  });
}

test('a mail that its server refuses for good is refused at once, one that is put off is tried again', async (t) => {
  const catcher = await startMailCatcher();
  t.after(() => catcher[Symbol.asyncDispose]());
  const mailer = await smtpMailer(catcher.url, 'crescendo@example.org');
  const send = () => mailer.send({ to: 'ada@example.org', subject: 'Hello', text: 'Hello', html: '' });
  catcher.refuseWith(550, 1, 'RCPT TO');
  await assert.rejects(send(), { code: 'mail_unavailable' });
  assert.equal(catcher.mails.length, 0);
  catcher.refuseWith(451, 1, 'RCPT TO');
  await send();
  assert.equal(catcher.mails.length, 1);
  catcher.refuseWith(500, 1, 'RCPT TO');
  await assert.rejects(send(), { code: 'mail_unavailable' });
  // The engine tries a nudge again by itself.
  catcher.refuseWith(451, 1, 'RCPT TO');
  await assert.rejects(mailer.sendOnce({ to: 'ada@example.org', subject: 'Pills', text: 'Pills', html: '' }));
  assert.equal(catcher.mails.length, 1);
  mailer.close();
});

test('a printed mail shows no control character of a name, in its subject or its text', async () => {
  let printed = '';
  const mailer = printingMailer((text) => {
    printed += text;
  });
  await mailer.send({ to: 'ada@example.org', subject: 'Eve\u001b[2J', text: 'a\nb\u0007\r', html: '' });
  assert.ok(printed.includes('Eve[2J\n\na\nb\n'), JSON.stringify(printed));
});
