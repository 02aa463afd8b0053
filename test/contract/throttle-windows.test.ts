/** When a limit begins anew, and whom what others did does not count against. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { hashToken } from '../../src/lib/secrets.ts';
import { LIMITS } from '../../src/limits/limit-table.ts';
import { ThrottleService } from '../../src/limits/throttle.service.ts';
import { onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const HOME = '203.0.113.7';

onlyOn('sqlite', () => {
  let app: TestApp;
  let clock: FakeClock;
  let throttle: ThrottleService;
  before(async () => {
    app = await startTestApp('sqlite');
  });
  beforeEach(async () => {
    await app.db.deleteFrom('throttles').execute();
    clock = new FakeClock();
    throttle = new ThrottleService(app.db, clock);
  });
  after(() => app[Symbol.asyncDispose]());

  const codeOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'taken',
      (error: { code: string; retryAfterSeconds: number }) => `${error.code} ${error.retryAfterSeconds}`,
    );
  const fill = (name: string, subject: string, count: number) => {
    const resets_at = new Date(clock.now().getTime() + 86_400_000);
    return app.db
      .insertInto('throttles')
      .values({ key: hashToken(`${name}: ${subject}`), count, resets_at })
      .execute();
  };

  test('a window ends a fixed time after its first count, however often is tried in between', async () => {
    const count = () => codeOf(throttle.enforce('claims', 'ada'));
    for (let times = 0; times < LIMITS.claims.max; times += 1) assert.equal(await count(), 'taken');
    assert.equal(await count(), 'too_many_attempts 900');
    await clock.advance('14m');
    assert.equal(await count(), 'too_many_attempts 60');
    await clock.advance('1m');
    for (let times = 0; times < LIMITS.claims.max; times += 1) assert.equal(await count(), 'taken');
    assert.equal(await count(), 'too_many_attempts 900');
  });

  test('what counts for a day of UTC begins anew with the next day, and nothing is taken back twice', async () => {
    const at = new FakeClock('2026-03-02T23:59:00Z');
    const daily = new ThrottleService(app.db, at);
    assert.deepEqual([await daily.countOfDay('host', 2), await daily.countOfDay('host', 1)], [2, 3]);
    await at.advance('1m');
    assert.deepEqual([await daily.countOfDay('host', 1), await daily.countOfDay('other', 1)], [1, 1]);
    await daily.countMessages('sms', 3, 60_000);
    for (const amount of [2, 2, 1, 1]) await daily.uncountMessages('sms', amount);
    assert.equal(await daily.countMessages('sms', 5, 60_000), 5);
  });

  test('wrong proofs count against the network that they come from, and a copied passkey is one', async () => {
    const prove = (address: string, verify: () => Promise<true | undefined> = async () => undefined) =>
      codeOf(throttle.limitWrongProofs({ account: 'ada', address }, verify));
    const copied = () => Promise.reject(new AppError('copied_passkey'));
    for (let times = 0; times < LIMITS.wrongPerAccount.max; times += 1)
      assert.match(await prove('198.51.100.1', copied), /^copied_passkey/);
    assert.match(await prove('198.51.100.1', copied), /^too_many_attempts/);
    assert.equal(await prove('198.51.100.1', async () => true), 'taken');
    assert.equal(await prove(HOME), 'taken');
  });

  test('a request that gets no mail anyway uses up no code of the mailbox', async () => {
    assert.equal(await throttle.allowsLongCode('ada@example.org', false), false);
    assert.equal(await throttle.allowsLongCode('ada+x@example.org', true), true);
    assert.equal(await throttle.allowsLongCode('ada+x@example.org', true), false);
    await clock.advance('5m');
    assert.equal(await throttle.allowsLongCode('ada+x@example.org', true), true);
  });

  test('nudges that a host is refused use up nothing of it, so an account that sent little still reaches it', async () => {
    const { unprovenNudgesToHost, unprovenNudgesOfAccount } = LIMITS;
    await fill(unprovenNudgesToHost.name, 'host.test', unprovenNudgesToHost.max - 3);
    await fill(unprovenNudgesOfAccount.name, 'loud host.test', 60);
    for (let times = 0; times < 5; times += 1)
      assert.equal(await throttle.allowsUnprovenNudge('loud', 'host.test'), false);
    assert.equal(await throttle.allowsUnprovenNudge('quiet', 'host.test'), true);
  });

  test('a host is shown three refused tokens of an account an hour', async () => {
    const allowed: boolean[] = [];
    for (let times = 0; times < 4; times += 1) {
      allowed.push(await throttle.allowsToken('ada', 'host.test', true));
      await throttle.countRefusedToken('ada', 'host.test');
    }
    assert.deepEqual(allowed, [true, true, true, false]);
  });

  test('a network counts as known for ninety days after its last sign-in, and for one account', async () => {
    const isStranger = async (account: string) => {
      await app.db.deleteFrom('throttles').where('count', '>', 1).execute();
      await fill(LIMITS.guessesOfStrangers.name, account, LIMITS.guessesOfStrangers.max);
      const guess = { account, address: HOME, guess: { sessionId: undefined } };
      return (await codeOf(throttle.limitWrongProofs(guess, async () => true))) !== 'taken';
    };
    await throttle.rememberNetwork('ada', HOME);
    assert.deepEqual([await isStranger('ada'), await isStranger('eve')], [false, true]);
    for (const duration of ['90d', '1d']) {
      await clock.advance(duration);
      assert.equal(await isStranger('ada'), true);
    }
  });
});
