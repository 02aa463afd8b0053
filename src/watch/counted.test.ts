/** What is counted, and what is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { disabledMailer, type Mail } from '../lib/mailer.ts';
import { DatabaseMetrics } from './database-metrics.ts';
import { MailMetrics } from './mail-metrics.ts';
import { addGatewayState } from './push-metrics.ts';
import { RequestMetrics } from './request-metrics.ts';
import { addUnderstudyMetrics } from './understudy-metrics.ts';

const samplesOf = async (registry: Registry) =>
  (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

test('mails are counted from zero, once each, without nudges and where mail is sent at all', async () => {
  const registry = new Registry();
  const metrics = new MailMetrics(registry);
  const counts = () => samplesOf(registry);
  const [accepted, failed] = ['crescendo_mails_total{result="accepted"}', 'crescendo_mails_total{result="failed"}'];
  assert.deepEqual(await counts(), [`${accepted} 0`, `${failed} 0`]);
  const mail: Mail = { to: 'ada@example.org', subject: '', text: '', html: '' };
  const send = async ({ to }: Mail) => {
    if (to === '') throw new Error('no such mailbox');
  };
  const mailer = metrics.counted({ send, sendOnce: send, close: () => undefined });
  await mailer.send(mail);
  await mailer.sendOnce(mail);
  await assert.rejects(mailer.send({ ...mail, to: '' }), /no such mailbox/);
  await assert.rejects(metrics.counted(disabledMailer()).send(mail), { code: 'mail_not_configured' });
  assert.deepEqual(await counts(), [`${accepted} 1`, `${failed} 1`]);
});

test('a request that was refused at the door is no longer in flight, and invented methods make no series', async () => {
  const registry = new Registry();
  const metrics = new RequestMetrics(registry);
  metrics.refused('GET');
  metrics.started();
  metrics.ended('BREW', '/v1/tasks', 405, 0.001);
  const samples = await samplesOf(registry);
  assert.ok(samples.includes('crescendo_http_requests_in_flight 0'));
  const counts = samples.filter((line) => line.includes('_count'));
  assert.deepEqual(
    counts.map((line) => /\{(.*)\}/.exec(line)?.[1]),
    ['method="GET",route="unknown",status="503"', 'method="other",route="/v1/tasks",status="405"'],
  );
});

test('a provider that refuses us is told as refusing, and one that cannot is not told of', async () => {
  const registry = new Registry();
  const gateway = (isRefused?: () => boolean) => ({ capacity: () => 3, ...(isRefused && { isRefused }) });
  const gateways = { apns: gateway(() => true), fcm: gateway(() => false), web_push: gateway() };
  addGatewayState(registry, gateways as unknown as Parameters<typeof addGatewayState>[1]);
  const refused = (await samplesOf(registry)).filter((line) => line.startsWith('crescendo_push_refused'));
  assert.deepEqual(refused, ['crescendo_push_refused{provider="apns"} 1', 'crescendo_push_refused{provider="fcm"} 0']);
});

test('busy connections are those that are not idle', async () => {
  const registry = new Registry();
  new DatabaseMetrics(registry).observePool({ totalCount: 7, idleCount: 3, waitingCount: 2, waitingPerConnection: 0 });
  const samples = await samplesOf(registry);
  for (const line of ['connections{state="busy"} 4', 'connections{state="idle"} 3', 'waiting 2'])
    assert.ok(samples.includes(`crescendo_database_${line}`), line);
});

test('held messages have a series for each state from the start, and none while the database does not answer', async () => {
  const registry = new Registry();
  let now: { people: { state: string; people: number }[]; messages: number } | undefined;
  now = { people: [{ state: 'held', people: 2 }], messages: 5 };
  addUnderstudyMetrics(registry, { counts: undefined, read: async () => now });
  const people = (state: string, count: number) => `crescendo_understudy_people{state="${state}"} ${count}`;
  assert.deepEqual(await samplesOf(registry), [
    'crescendo_understudies_held 5',
    people('held', 2),
    people('one', 0),
    people('none_left', 0),
  ]);
  now = undefined;
  assert.deepEqual(await samplesOf(registry), []);
});
