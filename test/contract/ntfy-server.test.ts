/**
 * The channel against a real ntfy server, if there is one: `CRESCENDO_NTFY=/path/to/ntfy npm test -- ntfy-server`. The
 * other tests use a fake that answers as it does.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { create } from '../support/channel-rig.ts';
import { WebhookRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { onSomeEngine } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait-until.ts';

const NTFY = process.env.CRESCENDO_NTFY;

interface Shown {
  readonly event: string;
  readonly sequence_id?: string;
  readonly priority?: number;
  readonly click?: string;
  readonly actions?: readonly { readonly url: string }[];
}

async function startNtfy(program: string) {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-ntfy-'));
  const host = `127.0.0.1:${await freePort()}`;
  const origin = `http://${host}`;
  const words = ['serve', '--config', '/dev/null', '--listen-http', host, '--base-url', origin];
  const child = spawn(program, [...words, '--cache-file', join(folder, 'cache.db')], { stdio: 'ignore' });
  await waitUntil(async () => (await fetch(`${origin}/v1/health`).catch(() => undefined))?.ok ?? false);
  const shown = async (topic: string): Promise<Shown[]> => {
    const lines = (await (await fetch(`${origin}/${topic}/json?poll=1`)).text()).trim().split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line));
  };
  const dispose = async () => {
    child.kill();
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  };
  return { host, origin, shown, [Symbol.asyncDispose]: dispose };
}

if (NTFY) {
  onSomeEngine('sqlite', (engine) => {
    test('a real ntfy server shows the nudges of a task as one, whose button ends it and takes it back', async () => {
      await using ntfy = await startNtfy(NTFY);
      const hosts = { CHANNEL_HOSTS: `*,${ntfy.host}`, NTFY_SERVER: ntfy.origin };
      await using scenario = await ChannelScenario.open(engine, await WebhookRig.start(), hosts);
      const { ada, app, clock } = scenario;
      const press = async (url = '') => {
        const { pathname, search } = new URL(url);
        return (await app.ask({ method: 'POST', url: `${pathname}${search}` })).body.data.state;
      };
      const { made } = await create(ada, { provider: 'ntfy' });
      const topic = made.set_up?.topic ?? '';
      assert.equal(await press((await ntfy.shown(topic))[0]?.actions?.[0]?.url), 'confirmed');
      const task = await scenario.due();
      await clock.advance('15m');
      const nudges = (await ntfy.shown(topic)).slice(1);
      assert.deepEqual(
        nudges.map(({ sequence_id, priority = 3 }) => [sequence_id, priority]),
        [
          [task, 3],
          [task, 4],
        ],
      );
      assert.equal(await press(nudges[1]?.actions?.[0]?.url), 'done');
      await app.engine?.settled();
      const last = (await ntfy.shown(topic)).at(-1);
      assert.deepEqual([last?.event, last?.sequence_id], ['message_delete', task]);
    });
  });
}
