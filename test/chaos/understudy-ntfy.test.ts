/**
 * A real ntfy server holds messages for a real process, which is killed. A part of "npm run test:full" only.
 *
 * The clock of the service runs fast and goes on while it is dead; that of ntfy does not run fast. So the message comes
 * half a minute after the nudge, which is the soonest that ntfy is asked for.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase, onEveryEngine } from '../support/engines.ts';
import { signUp } from '../support/fast-people.ts';
import { freePort } from '../support/free-port.ts';
import { startMailCatcher } from '../support/mail-catcher.ts';
import { type Heard, NtfyServer } from '../support/ntfy-server.ts';
import { startService } from '../support/service-process.ts';
import { IS_FULL } from '../support/size.ts';
import { waitUntil } from '../support/wait-until.ts';

const SPEED = 60;
const MINUTE_MS = 60_000;
/** What is held comes within 30 s, and ntfy looks for it every 10 s; the rest is for a busy machine. */
const SOUNDS_WITHIN_MS = 120_000;
const LIVES_WITHIN_MS = 240_000;
const TOPIC = 'facts';

/** A message of the server that was held, and not a nudge. */
const isAnnouncement = ({ actions, click }: Heard) => actions === undefined && click === undefined;

if (IS_FULL) {
  test('ntfy replaces a held message by the next of its sequence id, held or not, and keeps it if it refuses the next', async () => {
    await using ntfy = await NtfyServer.start();
    const publish = async (sequence_id: string, message: string, delay?: string) =>
      (await ntfy.publish({ topic: TOPIC, sequence_id, message, ...(delay && { delay }) })).status;
    const held = async () => (await ntfy.held(TOPIC)).map(({ message }) => message);
    assert.equal(await publish('a', 'first', '1h'), 200);
    assert.equal(await publish('a', 'second', '2h'), 200);
    assert.equal(await publish('b', 'other', '3h'), 200);
    assert.deepEqual(await held(), ['second', 'other']);
    assert.deepEqual([await publish('a', 'too soon', '5s'), await publish('a', 'too far', '4d')], [400, 400]);
    assert.deepEqual(await held(), ['second', 'other']);
    assert.equal(await publish('a', 'at once'), 200);
    assert.deepEqual(await held(), ['other']);
  });

  test('ntfy takes a held message back by DELETE of its sequence id, and answers 200 for one that it never had', async () => {
    await using ntfy = await NtfyServer.start();
    await ntfy.publish({ topic: TOPIC, sequence_id: 'a', message: 'held', delay: '1h' });
    assert.equal((await ntfy.delete(TOPIC, 'a')).status, 200);
    assert.deepEqual(await ntfy.held(TOPIC), []);
    assert.equal((await ntfy.delete(TOPIC, 'never')).status, 200);
  });

  onEveryEngine((engine) => {
    test('killed, it is announced once and without buttons; back, it lets none sound for hours, and Done takes all back', async (t) => {
      await using parts = new AsyncDisposableStack();
      const mail = parts.use(await startMailCatcher());
      const ntfy = parts.use(await NtfyServer.start());
      const database = parts.adopt(await createDatabase(engine), ({ drop }) => drop());
      const settings = {
        DATABASE_URL: database.url,
        SECRET_KEY: 'x'.repeat(32),
        PORT: String(await freePort()),
        SMTP_URL: mail.url,
        NTFY_SERVER: ntfy.origin,
        CHANNEL_HOSTS: `*,${ntfy.host}`,
        UNDERSTUDIES: 'anywhere',
        CLOCK_SPEED: String(SPEED),
        CLOCK_ORIGIN: new Date().toISOString(),
      };
      const launch = { entry: 'test/support/lasting-service.ts' } as const;
      const startedMs = Date.now();
      const say = (what: string) => t.diagnostic(`${((Date.now() - startedMs) / 1_000).toFixed(1)} s: ${what}`);

      const service = parts.use(await startService(settings, launch));
      const ada = await signUp(service, mail, 'ada@example.org', 12);
      const { body: made } = await ada.ask('POST', '/v1/channels', { provider: 'ntfy', private_title: false });
      const { topic } = made.data.set_up;
      const phone = parts.use(await ntfy.listen(topic));
      const [asked] = await ntfy.shown(topic);
      const { pathname, search } = new URL(asked?.actions?.[0]?.url ?? '');
      assert.equal((await ada.ask('POST', `${pathname}${search}`)).status, 200);
      const announced = () => phone.heard.filter(isAnnouncement);
      const nudges = () => phone.heard.filter(({ title, actions }) => title === 'pills' && actions !== undefined);

      const task = { title: 'pills', due_at: new Date(ada.now + 8 * MINUTE_MS).toISOString(), has_time: true };
      const { id } = (await ada.ask('POST', '/v1/tasks', task)).body.data;
      await waitUntil(async () => (await ntfy.held(topic)).length === 3);
      await service.stop('SIGKILL');
      const held = await ntfy.held(topic);
      say(`killed; held for ${held.map(({ time }) => `${Math.round(time - Date.now() / 1_000)} s`).join(', ')}`);
      assert.deepEqual(
        held.map(({ priority = 3 }) => priority),
        [3, 4, 5],
      );

      await waitUntil(() => announced().length > 0, SOUNDS_WITHIN_MS);
      const [first] = announced();
      say(`announced ${((first?.heardAtMs ?? 0) / 1_000 - (held[0]?.time ?? 0)).toFixed(1)} s after its moment`);
      assert.equal(first?.id, held[0]?.id);
      assert.equal(first?.title, 'A task is due, and Crescendo is silent');
      assert.match(first?.message ?? '', /^Crescendo has not been heard of since .*Due by now: pills \(/);
      assert.deepEqual(nudges(), [], 'the service was dead before the first nudge');

      parts.use(await startService(settings, launch));
      say('started again');
      const before = new Set(held.map((one) => one.id));
      await waitUntil(async () => (await ntfy.held(topic)).some((one) => !before.has(one.id)));
      // On a busy machine it may be back only after the second moment.
      const sounded = announced().map((one) => one.id);
      say(`holds messages again; announced so far: ${sounded.length}`);
      assert.deepEqual(
        sounded,
        held.slice(0, sounded.length).map((one) => one.id),
      );
      await waitUntil(() => nudges().length >= 6, LIVES_WITHIN_MS);
      const hours = ((Date.now() - startedMs) * SPEED) / (60 * MINUTE_MS);
      say(`${nudges().length} nudges; ${hours.toFixed(1)} hours by the clock of the service`);
      assert.equal(announced().length, sounded.length, 'nothing comes twice, and nothing while it lives');
      const { data: timeline } = (await ada.ask('GET', `/v1/tasks/${id}/timeline`)).body;
      const entries = timeline.filter(({ kind }: { kind: string }) => kind === 'understudy');
      assert.deepEqual(
        entries.map(({ via }: { via: string }) => via),
        sounded.map(() => 'ntfy'),
      );

      const dueByNow = held.filter(({ time }) => time * 1_000 < Date.now()).map((one) => one.id);
      assert.ok(dueByNow.length >= 2);
      const left = await ntfy.held(topic);
      assert.ok(
        left.every((one) => !dueByNow.includes(one.id)),
        'what would have sounded by now was moved',
      );
      await ada.ask('POST', `/v1/tasks/${id}/complete`);
      await waitUntil(async () => (await ntfy.held(topic)).map(({ title }) => title).join() === 'Crescendo is silent');
      say('Done: only the message that the service is gone is held');
      await ada.ask('DELETE', '/v1/me');
      await waitUntil(async () => (await ntfy.held(topic)).length === 0);
      assert.equal(announced().length, sounded.length);
    });
  });
}
