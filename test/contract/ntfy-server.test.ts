/**
 * The channel against a real ntfy server, in "npm run test:full" and with `CRESCENDO_NTFY=/path/to/ntfy npm test -- ntfy`.
 * The other tests use a fake that answers as it does.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create } from '../support/channel-rig.ts';
import { WebhookRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { onSomeEngine } from '../support/engines.ts';
import { NtfyServer } from '../support/ntfy-server.ts';
import { IS_FULL } from '../support/size.ts';

if (IS_FULL || process.env.CRESCENDO_NTFY) {
  onSomeEngine('sqlite', (engine) => {
    test('a real ntfy server shows the nudges of a task as one, whose button ends it and takes it back', async () => {
      await using ntfy = await NtfyServer.start();
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
