/** The refresh tokens of deleted accounts, until the identity provider has taken them back. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import { refreshTokenContext } from '../../src/keys/sealed-contexts.ts';
import { Vault } from '../../src/keys/vault.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { insertIdentity } from '../../src/sign-in/provider/identities.store.ts';
import type { IdentityProvider } from '../../src/sign-in/provider/identity-provider.ts';
import { listDueRevocations } from '../../src/sign-in/provider/provider-revocations.store.ts';
import { ProviderRevocations } from '../../src/sign-in/provider/provider-revocations.ts';
import { onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const KEYS = ['a first key, long enough to be taken', 'a second key, long enough to be taken'] as const;

onlyOn('sqlite', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite');
  });
  after(() => app[Symbol.asyncDispose]());

  function start(vault = new Vault([KEYS[0]])) {
    const clock = new FakeClock();
    const revoked: string[] = [];
    const tried: string[] = [];
    const refused = new Set<string>();
    const provider = {
      canRevoke: true,
      revoke: async (token: string, client: string) => {
        tried.push(token);
        if (refused.has(token)) throw new Error('not now');
        revoked.push(`${token} of ${client}`);
      },
    } as unknown as IdentityProvider;
    const logger = createLogger('silent');
    const revocations = new ProviderRevocations(app.db, new SchemaWatch(logger), clock, vault, provider, logger);
    const rows = () => app.db.selectFrom('provider_revocations').selectAll().orderBy('id').execute();
    return { clock, revoked, tried, refused, revocations, rows };
  }

  /** An account with an identity for each token, sealed with the vault. */
  async function accountWith(tokens: readonly string[], vault = new Vault([KEYS[0]])): Promise<string> {
    const { userId } = await createPerson(app);
    for (const token of tokens) {
      const id = newId();
      const identity = { id, user_id: userId, issuer: 'https://id.test', subject: id, client_id: 'app' };
      const refresh_token = vault.seal(refreshTokenContext(id), token);
      await insertIdentity(app.db, { ...identity, refresh_token, created_at: app.clock.now() });
    }
    return userId;
  }

  test('a token that the provider refuses is tried ever more rarely, keeps no other waiting, and is told once', async (t) => {
    const { clock, revoked, tried, refused, revocations, rows } = start();
    refused.add('stubborn');
    await revocations.addForAccount(app.db, await accountWith(['stubborn', 'easy']));
    revocations.start();
    t.after(() => revocations.stop());
    const waits: number[] = [];
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      await waitUntil(async () => (await rows()).every((row) => row.attempts === attempts));
      const [row] = await rows();
      const next = (row?.next_attempt_at.getTime() ?? 0) - clock.now().getTime();
      waits.push(next / 60_000);
      if (attempts === 5) refused.clear();
      const due = clock.now().getTime() + next;
      assert.deepEqual(await listDueRevocations(app.db, new Date(due - 1), 9), []);
      clock.set(new Date(due).toISOString());
      revocations.wake();
    }
    await waitUntil(async () => (await rows()).length === 0);
    assert.deepEqual(waits, [1, 2, 4, 8, 16]);
    assert.deepEqual(revoked.toSorted(), ['easy of app', 'stubborn of app']);
    assert.equal(tried.filter((token) => token === 'stubborn').length, 6);
  });

  test('a token whose key is lost is left out, and keeps no account from being deleted', async () => {
    const { revocations, rows } = start(new Vault([KEYS[1]]));
    const userId = await accountWith(['unreadable']);
    const id = newId();
    const identity = { id, user_id: userId, issuer: 'https://id.test', subject: id, client_id: 'app' };
    await insertIdentity(app.db, { ...identity, refresh_token: null, created_at: app.clock.now() });
    await revocations.addForAccount(app.db, userId);
    assert.deepEqual(await rows(), []);
  });
});
