import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify } from './classify.ts';

/** As nodemailer reports them: its own code, the command, and the reply of the server. */
const ANSWERS: readonly [name: string, error: object | null, kind: string, reason: string][] = [
  ['mailbox unknown', refused('RCPT TO', 550, '5.1.1 User unknown'), 'gone', 'smtp_550'],
  ['mailbox moved', refused('RCPT TO', 551, '5.1.6 Mailbox has moved'), 'gone', 'smtp_551'],
  ['domain takes no mail', refused('RCPT TO', 556, '5.1.10 Recipient address has null MX'), 'gone', 'smtp_556'],
  ['mailbox disabled', refused('RCPT TO', 550, '5.2.1 The account is disabled'), 'gone', 'smtp_550'],
  ['mailbox full', refused('RCPT TO', 552, '5.2.2 Mailbox full'), 'rejected', 'smtp_552'],
  ['refused without a reason', refused('RCPT TO', 550, 'No'), 'rejected', 'smtp_550'],
  ['policy that quotes such a code', refused('DATA', 550, '5.7.1 see 5.1.1', 'EMESSAGE'), 'rejected', 'smtp_550'],
  ['message refused', refused('DATA', 554, '5.7.1 Message rejected', 'EMESSAGE'), 'rejected', 'smtp_554'],
  ['greylisting', refused('RCPT TO', 450, '4.2.0 Greylisted, try again'), 'retry', 'smtp_450'],
  ['greylisting of the message', refused('DATA', 451, '4.7.1 Try again later', 'EMESSAGE'), 'retry', 'smtp_451'],
  ['mailbox full for now', refused('RCPT TO', 452, '4.2.2 Over quota'), 'retry', 'smtp_452'],
  ['server shutting down', { code: 'ECONNECTION', command: 'CONN', responseCode: 421 }, 'retry', 'smtp_421'],
  ['our sender refused', refused('MAIL FROM', 550, '5.7.1 Sender refused'), 'misconfigured', 'smtp_550'],
  ['our sender deferred', refused('MAIL FROM', 451, '4.3.0 Try again'), 'retry', 'smtp_451'],
  ['authentication required', refused('MAIL FROM', 530, '5.7.0 Authentication required'), 'misconfigured', 'smtp_530'],
  ['wrong password', { code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 }, 'misconfigured', 'smtp_535'],
  ['credentials refused before a reply', { code: 'EAUTH', command: 'API' }, 'misconfigured', 'eauth'],
  [
    'recipient refused until we sign in',
    refused('RCPT TO', 530, '5.7.0 Authentication required'),
    'misconfigured',
    'smtp_530',
  ],
  ['recipient refused by the last such code', refused('RCPT TO', 539, '5.7.0 No'), 'misconfigured', 'smtp_539'],
  ['recipient refused by the next code', refused('RCPT TO', 540, '5.7.0 No'), 'rejected', 'smtp_540'],
  ['command unknown', refused('DATA', 500, '5.5.1 Unknown'), 'rejected', 'smtp_500'],
  ['TLS refused', { code: 'ETLS', command: 'STARTTLS' }, 'misconfigured', 'etls'],
  ['no mail server', { code: 'mail_not_configured' }, 'misconfigured', 'mail_not_configured'],
  ['connection refused', { code: 'ESOCKET', syscall: 'connect', errno: -111 }, 'retry', 'esocket'],
  ['unknown host', { code: 'EDNS', command: 'CONN' }, 'retry', 'edns'],
  ['no answer in time', { code: 'ETIMEDOUT', command: 'CONN' }, 'retry', 'etimedout'],
  ['nothing known', null, 'retry', 'no_answer'],
];

function refused(command: string, responseCode: number, text: string, code = 'EENVELOPE') {
  return { code, command, responseCode, response: `${responseCode} ${text}` };
}

test('each answer of a mail server has its meaning, and no reason repeats its text', () => {
  for (const [name, error, kind, reason] of ANSWERS) {
    const isAnswered = kind === 'retry' && reason.startsWith('smtp_');
    assert.deepEqual(classify(error), { kind, reason, ...(isAnswered && { isAnswered }) }, name);
  }
});
