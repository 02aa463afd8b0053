/** What counts against a person, and what does not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { LIMITS } from '../../src/limits/limit-table.ts';
import { ThrottleService } from '../../src/limits/throttle.service.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  test('a proof that could not be checked was no guess, and a right one is none either', async () => {
    await using app = await startTestApp(engine);
    const throttle = new ThrottleService(app.db, app.clock);
    const subject = { account: 'ada', address: '203.0.113.7', guess: { sessionId: 'one' } };
    const prove = (verify: () => Promise<true | undefined>) => throttle.limitWrongProofs(subject, verify);
    const fail = async () => {
      throw new AppError('database_unavailable');
    };
    for (let times = 0; times <= LIMITS.guesses.max; times += 1) {
      await assert.rejects(prove(fail), { code: 'database_unavailable' });
      assert.equal(await prove(async () => true), true);
    }
    for (let times = 0; times < LIMITS.guesses.max; times += 1) await prove(async () => undefined);
    await assert.rejects(
      prove(async () => true),
      { code: 'too_many_attempts' },
    );
  });

  it('what a host or a mailbox is refused uses up nothing of it: a newcomer has a share, however often others try', async () => {
    await using app = await startTestApp(engine);
    const throttle = new ThrottleService(app.db, app.clock);
    const askHost = (userId: string) =>
      throttle.limitUnproven(userId, 'host.test').then(
        () => true,
        () => false,
      );
    const askMailbox = async (userId: string) => {
      await app.clock.advance('5m');
      return throttle.allowsAddressCode(userId, 'eve@example.org');
    };
    for (const [ask, all] of [
      [askHost, LIMITS.unprovenToHostPerHour.max],
      [askMailbox, LIMITS.longAddressCodesPerMailbox.max],
    ] as const) {
      for (let crowd = 0; crowd < 8; crowd += 1)
        for (let times = 0; times < all / 4; times += 1) await ask(`crowd ${crowd}`);
      assert.equal(await ask('crowd 0'), false);
      assert.equal(await ask('newcomer'), true);
    }
  });

  it('a network from which a person goes on signing in stays known, whatever strangers try', async () => {
    await using app = await startTestApp(engine);
    const onDay = (days: number) =>
      new ThrottleService(app.db, new FakeClock(new Date(Date.UTC(2026, 0, 1 + days)).toISOString()));
    const HOME = '203.0.113.7';
    assert.equal(await onDay(0).rememberNetwork('ada', HOME), true);
    assert.equal(await onDay(60).rememberNetwork('ada', HOME), false);
    const guess = (address: string, isRight: true | undefined) =>
      onDay(120).limitWrongProofs({ account: 'ada', address, guess: { sessionId: undefined } }, async () => isRight);
    for (let stranger = 0; stranger < LIMITS.guessesOfStrangers.max; stranger += 1)
      await guess(`198.51.${stranger}.1`, undefined);
    await assert.rejects(guess('192.0.2.1', true), { code: 'too_many_attempts' });
    assert.equal(await guess(HOME, true), true);
  });

  it('ninety days after the last sign-in from a network it is new again, once, also while its row is still stored', async () => {
    await using app = await startTestApp(engine);
    const signInOn = (days: number) =>
      new ThrottleService(app.db, new FakeClock(new Date(Date.UTC(2026, 0, 1 + days)).toISOString())).rememberNetwork(
        'ada',
        '203.0.113.7',
      );
    const isNew: boolean[] = [];
    for (const day of [0, 89, 178, 268, 269]) isNew.push(await signInOn(day));
    assert.deepEqual(isNew, [true, false, false, true, false]);
    const atOnce = await Promise.all([400, 400, 400].map(signInOn));
    assert.equal(atOnce.filter(Boolean).length, 1);
  });

  it('wrong tokens of strangers keep a confirmed channel from its host only once its account has shown one', async () => {
    await using app = await startTestApp(engine);
    const throttle = new ThrottleService(app.db, app.clock);
    for (let stranger = 0; stranger < LIMITS.refusedTokensOfHost.max; stranger += 1)
      await throttle.countRefusedToken(`stranger ${stranger}`, 'host.test');
    const allows = (isConfirmed: boolean) => throttle.allowsToken('ada', 'host.test', isConfirmed);
    assert.deepEqual([await allows(true), await allows(false)], [true, false]);
    await throttle.countRefusedToken('ada', 'host.test');
    assert.equal(await allows(true), false);
  });

  it('an invitation whose mail failed does not count', async () => {
    await using app = await startTestApp(engine);
    const throttle = new ThrottleService(app.db, app.clock);
    const invite = (send: () => Promise<string>) => throttle.limitInviteMails('ada', 'bob@example.org', send);
    const fail = async () => {
      throw new AppError('mail_unavailable');
    };
    for (let times = 0; times <= LIMITS.inviteMailsPerSender.max; times += 1)
      await assert.rejects(invite(fail), { code: 'mail_unavailable' });
    for (let times = 0; times < LIMITS.inviteMailsPerSender.max; times += 1)
      assert.equal(await invite(async () => 'sent'), 'sent');
    await assert.rejects(
      invite(async () => 'sent'),
      { code: 'too_many_invitations' },
    );
  });
});
