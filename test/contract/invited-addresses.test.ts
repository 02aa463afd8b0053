/** What the invitation of an address admits, and when it is used up. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { transact } from '../../src/db/transact.ts';
import { AppError } from '../../src/lib/errors.ts';
import { newId } from '../../src/lib/ids.ts';
import type { SignUpRules } from '../../src/sign-in/admission.ts';
import { SignUpService } from '../../src/sign-in/sign-up.service.ts';
import { onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const CLOSED: SignUpRules = { signUp: 'invite', domains: [], admins: [], byProvider: true };
const OPERATOR = { userId: null, sender: 'operator' };

onlyOn('sqlite', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite');
  });
  after(() => app[Symbol.asyncDispose]());

  function start(rules: Partial<SignUpRules> = {}) {
    const { db } = app;
    const clock = new FakeClock();
    const mailed: string[] = [];
    const mail = { fails: undefined as string | undefined };
    const signUp = new SignUpService({
      db,
      clock,
      rules: { ...CLOSED, ...rules },
      findOpenInvite: async () => undefined,
      mailInvitation: async (_sender, email) => {
        if (mail.fails !== undefined) throw new AppError('mail_unavailable');
        mailed.push(email);
      },
    });
    const email = `${newId()}@home.test`;
    const admits = (way: 'email' | 'provider') =>
      transact(db, (trx) => signUp.admit(trx, { way, verifiedEmail: email, isInAllowedGroup: false }, undefined));
    const isListed = async () => (await signUp.listInvitations()).some((one) => one.email === email);
    return { clock, mailed, mail, signUp, email, admits, isListed };
  }

  for (const way of ['email', 'provider'] as const)
    test(`an invitation admits one account within two weeks, by ${way}`, async () => {
      const { clock, signUp, email, admits, isListed } = start();
      assert.equal(await admits(way), false);
      await signUp.invite(email, OPERATOR);
      await clock.advance('13d');
      assert.deepEqual([await admits(way), await admits(way)], [true, false]);
      await signUp.invite(email, OPERATOR);
      await clock.advance('14d');
      assert.deepEqual([await isListed(), await signUp.mayAccountHave(app.db, email)], [false, true]);
      assert.equal(await admits(way), false);
    });

  test('an invitation is used up by the account that it admits, also where the address needed none', async () => {
    const { signUp, email, admits, isListed } = start({ signUp: 'open' });
    await signUp.invite(email, OPERATOR);
    assert.equal(await isListed(), true);
    assert.equal(await admits('email'), true);
    assert.equal(await isListed(), false);
  });

  test('an account that changes to an invited address uses the invitation up', async () => {
    const { signUp, email, isListed } = start({ domains: ['work.test'] });
    assert.equal(await signUp.mayAccountHave(app.db, email), false);
    await signUp.invite(email, OPERATOR);
    assert.equal(await signUp.mayAccountHave(app.db, email), true);
    await transact(app.db, (trx) => signUp.takeInvitation(trx, email));
    assert.deepEqual([await isListed(), await signUp.mayAccountHave(app.db, email)], [false, false]);
  });

  test('an invitation whose mail failed is not kept, unless it was there before', async () => {
    const { clock, mail, signUp, email, isListed } = start();
    mail.fails = 'yes';
    await assert.rejects(signUp.invite(email, OPERATOR), { code: 'mail_unavailable' });
    assert.equal(await isListed(), false);
    mail.fails = undefined;
    await signUp.invite(email, OPERATOR);
    mail.fails = 'yes';
    await assert.rejects(signUp.invite(email, OPERATOR), { code: 'mail_unavailable' });
    assert.equal(await isListed(), true);
    await clock.advance('14d');
    await assert.rejects(signUp.invite(email, OPERATOR), { code: 'mail_unavailable' });
    assert.equal(await isListed(), false);
  });
});
