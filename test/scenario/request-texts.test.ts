/** Every kind of channel says who asks for what, and offers Accept and Decline. */
import assert from 'node:assert/strict';
import type { ChannelRig, HttpRig } from '../support/channel-rig.ts';
import { CHANNEL_RIGS, type EmailRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, openSession, type Person } from '../support/people.ts';
import { PROVIDER_RIGS } from '../support/provider-rigs.ts';
import { createSpace } from '../support/spaces.ts';
import { TelegramRig } from '../support/telegram-rig.ts';

/** What the provider got since the last call, as a person would read it, one text for each message. */
function takeTexts(rig: ChannelRig): string[] {
  if (rig.provider === 'email') {
    const mails = (rig as EmailRig).catcher.mails as unknown as { raw: string }[];
    return mails.splice(0).map(({ raw }) => raw.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '='));
  }
  const { requests } = (rig as unknown as HttpRig).server;
  const bodies = requests.splice(0).map(({ body }) => body);
  return rig.provider === 'pushover'
    ? bodies.map((body) => [...new URLSearchParams(body).values()].join('\n'))
    : bodies;
}

async function ask(asker: Person, owner: Person, space: string, title: string): Promise<string> {
  const body = { title, owner_id: owner.userId, space_id: space, due_at: '2026-03-20T09:00:00Z', has_time: true };
  return (await asker.ask('POST', '/v1/tasks', body)).body.data.id;
}

/** Where it is no button, the page behind the link has both. */
const BUTTONS: Readonly<Record<string, readonly RegExp[]>> = {
  webhook: [/"accept":"https:[^"]*do=accept"/, /"decline":"https:[^"]*do=decline"/],
  ntfy: [/"label":"Accept"/, /"label":"Decline"/],
  telegram: [/"text":"Accept","callback_data":"a\./, /"text":"Decline","callback_data":"x\./],
  email: [/Accept or decline: https:/, /<a href="https:[^>]*>Accept or decline<\/a>/],
  pushover: [/Accept or decline/],
  apprise: [/Accept or decline: https:/],
};

onEveryEngine((engine, it) => {
  for (const { name, start } of [...CHANNEL_RIGS, ...PROVIDER_RIGS].filter(({ name }) => name !== 'sms'))
    it(`a request over ${name} says who asks for what and can be answered, and a private one has a code`, async () => {
      await using scenario = await ChannelScenario.open(engine, await start());
      const { ada, app, rig } = scenario;
      const bob = await createPerson(app);
      await bob.ask('PATCH', '/v1/me', { display_name: 'Bob' });
      const space = await createSpace(ada, bob);
      const channel = await rig.connect(ada, { private_title: false });
      takeTexts(rig);
      const texts = async () => {
        await app.engine?.settled();
        return takeTexts(rig);
      };
      const task = await ask(bob, ada, space, 'milk');
      const [text = ''] = await texts();
      assert.match(text, /Request: milk/);
      assert.match(text, /Bob \(Home\) asks you to do this\. Due on Fri 20 Mar/);
      for (const button of BUTTONS[name] ?? assert.fail(name)) assert.match(text, button);
      const token = /(?:\/a\/|a\.)([\w-]{62})/.exec(text)?.[1];
      const page = await app.fastify.inject({ url: `/a/${token}`, headers: { accept: 'text/html' } });
      assert.match(page.body, /Will you do this\?.*milk.*do=accept.*do=decline/s);
      if (rig instanceof TelegramRig) {
        await rig.report({ update_id: 2, callback_query: { id: '9', data: `x.${token}`, from: { id: 77 } } });
        assert.deepEqual(rig.answers, ['Declined.']);
      } else await scenario.press(`/a/${token}`, 'decline');
      assert.equal((await ada.ask('GET', `/v1/tasks/${task}`)).body.data.status, 'declined');
      await ada.ask('PATCH', `/v1/channels/${channel}`, { private_title: true });
      await texts();
      const hidden = await ask(bob, ada, space, 'bread');
      const [secret = ''] = await texts();
      const code = (await scenario.taskCodes())[hidden] ?? 'none';
      assert.ok(secret.includes(`Somebody asks you to do something (${code})`), secret);
      assert.doesNotMatch(secret, /bread|Bob/);
      const url = `/a/${/(?:\/a\/|a\.)([\w-]{62})/.exec(secret)?.[1]}`;
      const strangers = await app.fastify.inject({ url, headers: { accept: 'text/html' } });
      assert.ok(strangers.body.includes(code) && !strangers.body.includes('bread'), strangers.body);
      const cookie = `__Host-crescendo-session=${await openSession(app, ada.userId)}`;
      const recipients = await app.fastify.inject({ url, headers: { accept: 'text/html', cookie } });
      assert.match(recipients.body, /Request: bread/);
    });
});
