/** What is left of an account that its former address takes back. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Audit } from '../../src/lib/audit.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { AccountNotices } from '../../src/sign-in/account-notices.ts';
import { insertAddressChange } from '../../src/sign-in/address/address-changes.store.ts';
import { AddressUndoService } from '../../src/sign-in/address/address-undo.service.ts';
import { insertIdentity } from '../../src/sign-in/provider/identities.store.ts';
import { insertChallenge } from '../../src/sign-in/second-factor.store.ts';
import { insertReset } from '../../src/sign-in/second-factor-resets.store.ts';
import type { LastingAccess } from '../../src/sign-in/sign-out.service.ts';
import { onlyOn } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

onlyOn('sqlite', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite');
  });
  after(() => app[Symbol.asyncDispose]());

  const minutes = (count: number) => new Date(app.clock.now().getTime() + count * 60_000);

  /** An account whose address was changed now, and what its undoing does elsewhere. */
  async function changedAccount(access: readonly { readonly id: string; readonly made_at: Date }[] = []) {
    const { userId, email } = await createPerson(app);
    const id = newId();
    const change = { id, user_id: userId, old_email: `old-${email}`, new_email: email, mail_due_at: null };
    await insertAddressChange(app.db, { ...change, changed_at: minutes(0), expires_at: minutes(7 * 24 * 60) });
    const told: unknown[] = [];
    const tokens: LastingAccess = {
      list: async () =>
        access.map((one) => ({ ...one, kind: 'token' as const, name: null, detail: null, last_used_at: null })),
      end: async (_trx, of, ids) => {
        told.push(['ended', of, ids]);
        return ids.length;
      },
    };
    const undoing = new AddressUndoService({
      db: app.db,
      clock: app.clock,
      audit: new Audit(createLogger('silent')),
      notices: { send: (of: string, { kind }: { kind: string }) => told.push([kind, of]) } as unknown as AccountNotices,
      lasting: [tokens],
      addressChanging: async (_trx, of, to) => void told.push(['moved', of, to]),
      forgetCodes: async () => undefined,
      wakeUp: () => undefined,
    });
    return { userId, oldEmail: change.old_email, told, undo: () => undoing.undo(id, '192.0.2.1') };
  }

  const linkAt = (user_id: string, created_at: Date) => {
    const id = newId();
    const identity = { id, user_id, issuer: 'https://id.test', subject: id, client_id: 'app', refresh_token: null };
    return insertIdentity(app.db, { ...identity, created_at });
  };

  const countOf = async (
    table: 'identities' | 'mfa_challenges' | 'second_factor_resets' | 'sessions',
    userId: string,
  ) => (await app.db.selectFrom(table).select('user_id').where('user_id', '=', userId).execute()).length;

  test('mail for nudges follows the address back, the owner is told, and nothing that was begun goes on', async () => {
    const { userId, oldEmail, told, undo } = await changedAccount();
    const [factor, identity] = [newId(), { identity_id: null, provider_sid: null }];
    const challenge = { token_hash: factor, user_id: userId, mode: 'login', tries: 0, expires_at: minutes(5) };
    await insertChallenge(app.db, { ...challenge, ...identity });
    const asked = { id: newId(), user_id: userId, requested_by: userId, requested_at: minutes(0), told_at: null };
    await insertReset(app.db, { ...asked, due_at: minutes(60), mail_due_at: null });
    assert.deepEqual(await undo(), []);
    assert.deepEqual(told, [
      ['moved', userId, oldEmail],
      ['address_restored', userId],
    ]);
    for (const table of ['mfa_challenges', 'second_factor_resets', 'sessions'] as const)
      assert.equal(await countOf(table, userId), 0, table);
  });

  test('of the identities at a provider, those from before the change stay', async () => {
    const { userId, undo } = await changedAccount();
    await linkAt(userId, minutes(-10));
    assert.deepEqual(await undo(), ['identity']);
    assert.equal(await countOf('identities', userId), 1);
    const other = await changedAccount();
    await linkAt(other.userId, minutes(0));
    assert.deepEqual(await other.undo(), []);
    assert.equal(await countOf('identities', other.userId), 0);
  });

  test('a second factor and access from a quarter of an hour before the change end, and older ones stay', async () => {
    const older = { id: newId(), made_at: minutes(-16) };
    const newer = { id: newId(), made_at: minutes(-15) };
    for (const [enabled, left] of [
      [minutes(-16), ['token', 'second_factor']],
      [minutes(-15), ['token']],
    ] as const) {
      const { userId, told, undo } = await changedAccount([older, newer]);
      const on = { mfa_enabled_at: enabled, totp_secret: 'sealed' };
      await app.db.updateTable('users').set(on).where('id', '=', userId).execute();
      assert.deepEqual(await undo(), left);
      assert.deepEqual(told[1], ['ended', userId, [newer.id]]);
    }
  });
});
