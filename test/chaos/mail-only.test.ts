/** A real process on a fast clock, a real mail server, and a person who has nothing but their sign-in address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signUp } from '../support/fast-people.ts';
import { startMailCatcher } from '../support/mail-catcher.ts';
import { startService } from '../support/service-process.ts';

const HOUR_MS = 3_600_000;
const SUBJECT = /^Subject: (.*)$/m;

test('a reminder that comes once, a heads-up and a ladder all arrive by mail alone, from the first nudge on', async () => {
  await using mail = await startMailCatcher();
  await using service = await startService({ SMTP_URL: mail.url, CLOCK_SPEED: '7200' });
  const { ask, now } = await signUp(service, mail, 'ada@example.org', 7);
  await ask('PATCH', '/v1/me', { day_start: '11:00' });
  const at = (hours: number) => new Date(now + hours * HOUR_MS).toISOString();
  await ask('POST', '/v1/tasks', { title: 'bins', due_at: at(2), has_time: true, mode: 'notify_once' });
  await ask('POST', '/v1/tasks', { title: 'pills', due_at: at(2.5), has_time: true });
  await ask('POST', '/v1/tasks', {
    title: 'exam',
    due_at: at(6),
    has_time: true,
    lead_time_days: 0,
    mode: 'notify_once',
  });
  const subjects: string[] = [];
  while (subjects.filter((subject) => subject.startsWith('exam')).length < 2)
    subjects.push(SUBJECT.exec((await mail.next()).raw)?.[1] ?? '');
  assert.equal(subjects.filter((subject) => subject.startsWith('bins')).length, 1);
  // On a busy machine a nudge supersedes the one before it, so the ladder may be shorter, and is never longer.
  const ladder = subjects.filter((subject) => subject.startsWith('pills'));
  assert.ok(ladder.length >= 1 && ladder.length <= 8, `${ladder.length} mails of the ladder`);
  assert.equal(ladder[0], 'pills', 'a stage above would say for how long it is open');
});
