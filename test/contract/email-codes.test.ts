/** What a mailed code is worth: for how long, after a rotation of keys, and if its mail fails. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { transact } from '../../src/db/transact.ts';
import { Vault } from '../../src/keys/vault.ts';
import { BackgroundMail } from '../../src/lib/background-mail.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { Mailer } from '../../src/lib/mailer.ts';
import { EmailCodes } from '../../src/sign-in/email-codes.ts';
import { onlyOn } from '../support/engines.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const [OLD_KEY, NEW_KEY] = ['an older key, long enough to be taken', 'a newer key, long enough to be taken'];

onlyOn('sqlite', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite');
  });
  after(() => app[Symbol.asyncDispose]());

  /** Codes to an address of their own, mailed as `send` does. */
  function codesBy(
    send: () => Promise<void> = async () => undefined,
    keys: readonly [string, ...string[]] = [OLD_KEY],
  ) {
    const email = `${newId()}@example.org`;
    const mailer: Mailer = { send, sendOnce: send, close: () => undefined };
    const backgroundMail = new BackgroundMail(mailer, createLogger('silent'));
    const partsWith = (vault: Vault) => ({ db: app.db, clock: app.clock, vault, mailer, backgroundMail });
    const codes = new EmailCodes(partsWith(new Vault(keys)));
    const requester = { address: '192.0.2.7', token: undefined, userAgent: undefined };
    let written: string[] = [];
    const write = (code: string) => {
      written.push(code);
      return { to: email, subject: '', text: '', html: '' };
    };
    /** Returns the codes that were written. */
    const ask = async (isLong: boolean): Promise<string[]> => {
      written = [];
      if (isLong) await codes.sendSparingly(email, requester, true, write);
      else await codes.send(email, requester, write).catch(() => undefined);
      await backgroundMail.settled();
      return written;
    };
    const spend = (code = '', vault = new Vault(keys)) =>
      transact(app.db, (trx) => new EmailCodes(partsWith(vault)).spend(trx, email, code, requester));
    return { email, ask, spend };
  }

  const fail = async () => {
    throw new Error('no mail today');
  };

  for (const isLong of [false, true]) {
    const kind = isLong ? 'long' : 'short';

    test(`a ${kind} code is good for ten minutes and no longer`, async () => {
      const { ask, spend } = codesBy();
      const [late] = await ask(isLong);
      await app.clock.advance('10m');
      assert.equal(await spend(late), false);
      const [inTime] = await ask(isLong);
      await app.clock.advance('599s');
      assert.equal(await spend(inTime), true);
    });

    test(`a ${kind} code that was mailed before a rotation of keys signs in after it`, async () => {
      const { ask, spend } = codesBy();
      const [code] = await ask(isLong);
      assert.equal(await spend(code, new Vault([NEW_KEY])), false);
      assert.equal(await spend(code, new Vault([NEW_KEY, OLD_KEY])), true);
    });

    test(`a ${kind} code whose mail failed is no code, and the next request gets one`, async () => {
      const mails = { fail: true };
      const { email, ask, spend } = codesBy(async () => {
        if (mails.fail) await fail();
      });
      const [lost] = await ask(isLong);
      assert.equal(await spend(lost), false);
      assert.deepEqual(await app.db.selectFrom('email_codes').select('id').where('email', '=', email).execute(), []);
      mails.fail = false;
      const [code] = await ask(isLong);
      assert.equal(await spend(code), true);
    });
  }

  test('a long code serves the requests of five minutes, each of which has it for five minutes more', async () => {
    const { ask, spend } = codesBy();
    const [first] = await ask(true);
    await app.clock.advance('299s');
    assert.deepEqual(await ask(true), [], 'the code that was mailed');
    await app.clock.advance('1s');
    const [second] = await ask(true);
    assert.notEqual(second, undefined);
    await app.clock.advance('299s');
    assert.equal(await spend(first), true);
  });

  test('a code is wrong for every other subject', async () => {
    const [ada, eve] = [codesBy(), codesBy()];
    for (const isLong of [false, true]) {
      const [code] = await ada.ask(isLong);
      await eve.ask(isLong);
      assert.equal(await eve.spend(code), false);
      assert.equal(await ada.spend(code), true);
    }
  });
});
