/** Each token has one spelling: another text that decodes to the same bytes is no token, so it gets no counter either. */
import assert from 'node:assert/strict';
import { RegisteredClients } from '../../src/connections/registered-clients.ts';
import { Vault } from '../../src/keys/vault.ts';
import { PasskeyChallenges } from '../../src/sign-in/passkeys/passkey-challenges.ts';
import { create } from '../support/channel-rig.ts';
import { EmailRig, WebhookRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createSpace } from '../support/spaces.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** All other texts that a lenient reader takes for the same bytes. */
function othersOf(text: string): string[] {
  const bytes = Buffer.from(text, 'base64url');
  const last = [...ALPHABET].map((character) => text.slice(0, -1) + character);
  const plain = text.replaceAll('-', '+').replaceAll('_', '/');
  const others = [...last, `${text}=`, `${text}==`, `${text} `, ` ${text}`, plain];
  return others.filter((other) => other !== text && Buffer.from(other, 'base64url').equals(bytes));
}

const vault = new Vault(['a secret key of a test, which is long enough']);

/** A token of each kind that is read without a database, and whether a text is taken for it. */
const KINDS: Record<string, () => readonly [tokens: readonly string[], isRead: (token: string) => boolean]> = {
  'a sealed value': () => {
    const sealed = vault.seal('here', 'x');
    const parts = sealed.split('.');
    const texts = parts.flatMap((part, index) =>
      index < 2 ? [] : othersOf(part).map((other) => parts.with(index, other).join('.')),
    );
    return [texts, (token) => isOpened(() => vault.open('here', token))];
  },
  'the challenge of a passkey': () => {
    const challenges = new PasskeyChallenges(vault, new FakeClock());
    const text = challenges.issue('sign in');
    const signed = (challenge: string) => Buffer.from(JSON.stringify({ challenge })).toString('base64url');
    assert.ok(challenges.find('sign in', signed(text)));
    return [othersOf(text), (token) => challenges.find('sign in', signed(token)) !== undefined];
  },
  'the id of a registered client': () => {
    const clients = new RegisteredClients(vault);
    const { id } = clients.register({ name: 'x', redirectUris: ['https://a.example/b'], auth: 'none' });
    const [, kept = '', mac = ''] = /^dc_(.*)\.(.*)$/.exec(id) ?? [];
    const texts = [
      ...othersOf(kept).map((other) => `dc_${other}.${mac}`),
      ...othersOf(mac).map((other) => `dc_${kept}.${other}`),
    ];
    assert.ok(clients.find(id));
    return [texts, (token) => clients.find(token) !== undefined];
  },
};

function isOpened(open: () => unknown): boolean {
  try {
    open();
    return true;
  } catch {
    return false;
  }
}

onEveryEngine((engine, it) => {
  it('of the spellings that decode to the same bytes, each kind of token has one', async () => {
    for (const [kind, make] of Object.entries(KINDS)) {
      const [texts, isRead] = make();
      assert.ok(texts.length > 0, kind);
      for (const text of texts) assert.equal(isRead(text), false, `${kind}: ${text}`);
    }
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { ada, rig, app } = scenario;
    await rig.connect(ada);
    await scenario.due();
    await scenario.create();
    const statusOf = async (url: string, token?: string) =>
      (await app.ask({ method: 'GET', url, ...(token && { headers: { authorization: `Bearer ${token}` } }) })).status;
    const page = rig.take()[0]?.page ?? '';
    const [first] = (await ada.ask('GET', '/v1/tasks')).body.data;
    const cursors = ['/v1/tasks?limit=1', `/v1/tasks/${first.id}/timeline?limit=1`].map(async (url) => {
      const { headers } = await ada.ask('GET', url);
      return [
        String(headers['x-next-cursor']),
        (token: string) => statusOf(`${url}&cursor=${encodeURIComponent(token)}`, ada.sessionToken),
      ] as const;
    });
    const space = await createSpace(ada);
    const { token: invite } = (await ada.ask('POST', `/v1/spaces/${space}/invites`, {})).body.data;
    const table: [token: string, status: (token: string) => Promise<number>, refusal: number][] = [
      [page.slice('/a/'.length), (token) => statusOf(`/a/${encodeURIComponent(token)}`), 404],
      ...(await Promise.all(cursors)).map(([token, status]): [string, typeof status, number] => [token, status, 422]),
      // Access tokens and calendar addresses are looked up by a hash of their text, as these two are.
      [ada.sessionToken, (token) => statusOf('/v1/tasks', token), 401],
      [invite, (token) => statusOf(`/v1/invites/${encodeURIComponent(token)}`, ada.sessionToken), 404],
    ];
    for (const [token, status, refusal] of table) {
      assert.equal(await status(token), 200, token);
      // A space around a credential is no part of it.
      for (const other of othersOf(token).filter((text) => text.trim() === text))
        assert.equal(await status(other), refusal, `${other} for ${token}`);
    }
  });

  it('a confirm link has one spelling', async () => {
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start());
    const { ada, app } = scenario;
    const fields = { email: 'own@example.org' };
    const { id } = await create(ada, { provider: 'email', fields });
    const known = Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
    const look = async (text: string) => (await app.ask({ method: 'GET', url: `/a/c${text}000001` })).body.data?.state;
    assert.equal(await look(known), 'to_confirm');
    for (const other of othersOf(known).filter((text) => /^[\w-]+$/.test(text)))
      assert.equal(await look(other), 'unknown');
  });
});
