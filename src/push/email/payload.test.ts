import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIRMATION, messageOf } from '../../../test/support/sample-messages.ts';
import { buildMail } from './payload.ts';

const mailOf = (replaced: Parameters<typeof messageOf>[0] = {}) =>
  buildMail(messageOf(replaced), 'ada@example.org', 'crescendo.example');

test('every attempt has the same id, and all mails about a task are one thread', () => {
  assert.deepEqual(
    [mailOf().messageId, mailOf().references],
    ['<entry_channel@crescendo.example>', '<the-task@crescendo.example>'],
  );
  assert.equal(mailOf({ taskId: null }).references, undefined);
});

test('a nudge of the stages that insist is important, and no other mail is', () => {
  const priorities = [-1, 0, 1, 2].map((stage) => mailOf({ stage }).priority);
  assert.deepEqual(priorities, ['normal', 'normal', 'high', 'high']);
  assert.equal(mailOf({ kind: 'request', stage: 2 }).priority, 'normal');
});

test('a mail can be ended with one click where its link is https, and the one with a code has no such link', () => {
  const stop = messageOf().actions?.stop;
  assert.equal(mailOf().headers?.['List-Unsubscribe'], `<${stop}>`);
  assert.equal(mailOf().headers?.['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click');
  const actions = messageOf().actions ?? assert.fail('A nudge has actions.');
  const plain = mailOf({ actions: { ...actions, stop: 'http://localhost/a/x?do=stop' } });
  assert.deepEqual(
    [plain.headers?.['List-Unsubscribe'], plain.headers?.['List-Unsubscribe-Post']],
    ['<http://localhost/a/x?do=stop>', undefined],
  );
  const code = mailOf({ kind: 'confirm', confirm: CONFIRMATION });
  assert.equal(code.headers?.['List-Unsubscribe'], undefined);
  assert.equal(code.headers?.['Auto-Submitted'], 'auto-generated');
});

test('both forms of a mail have its link, its end and the last word, and no title becomes markup', () => {
  const { page, stop } = messageOf().actions ?? assert.fail('A nudge has actions.');
  const mail = mailOf({ title: '<b>pills</b>', isLast: true });
  for (const form of [mail.text, mail.html ?? '']) {
    for (const link of [page, stop, 'https://crescendo.example/app']) assert.ok(form.includes(link), link);
    assert.match(form, /last mail for now/);
  }
  assert.ok(!mail.html?.includes('<b>'));
  assert.doesNotMatch(mailOf().text, /last mail for now/);
});

test('a subject is one line, and at the last stage says for how long the task has been open', () => {
  assert.equal(mailOf({ title: 'pills\n and  water' }).subject, 'pills and water: still open, due at 10:00');
  assert.equal(mailOf({ stage: 1 }).subject, 'Take the pills');
  assert.equal(mailOf({ kind: 'request' }).subject, 'Take the pills');
  assert.ok(Buffer.byteLength(mailOf({ stage: 0, title: 'ж'.repeat(300) }).subject) <= 200);
});
