/** A year of billing events through the webhook: in order, shuffled, repeated, and all at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BILLING, castFor, sendEvent, writtenPlan } from '../support/billing.ts';
import { billingYear, type Cast, EXPECTED, millis, providerEvent } from '../support/billing-year.ts';
import { createDatabase, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson, openSession, type Person, personWith } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const ORDERS = sized(2, 12);

/** Grace's plan has ended; the stored plan stays, since readers compare its end with the time. */
const AT_THE_END = [
  ['pro', '2027-11-30'],
  ['pro', '2026-12-15'],
];

const plansOf = async (app: TestApp, { ada, grace }: Cast) => [
  await writtenPlan(app, ada),
  await writtenPlan(app, grace),
];

/** The plan as the API shows it, alike in all places. */
async function shownPlan(app: TestApp, { email, userId }: Person): Promise<readonly [string, string | null]> {
  const { ask } = personWith(app, email, userId, await openSession(app, userId));
  const shown = (await ask('GET', '/v1/me')).body.data;
  const { settings } = (await ask('GET', '/v1/sync')).body.data;
  assert.deepEqual([settings.plan, settings.plan_expires_at], [shown.plan, shown.plan_expires_at]);
  return [shown.plan, shown.plan_expires_at?.replace('T00:00:00.000Z', '') ?? null];
}

onEveryEngine((engine, it) => {
  it('at every time of the year the owner sees the plan that was paid for', async () => {
    const clock = new FakeClock('2026-03-01T00:00:00Z');
    await using app = await startTestApp(engine, { settings: BILLING, clock });
    const [ada, grace] = [await createPerson(app, 'ada@example.org'), await createPerson(app, 'grace@example.org')];
    const unsent = [...billingYear({ ada: ada.userId, grace: grace.userId, anonymous: 'anonymous' })];
    for (const [moment, adas, graces, why] of EXPECTED) {
      clock.set(new Date(millis(moment)).toISOString());
      while (unsent[0] && unsent[0].event_timestamp_ms <= millis(moment))
        await sendEvent(app, unsent.shift() ?? unsent[0]);
      assert.deepEqual([await shownPlan(app, ada), await shownPlan(app, grace)], [adas, graces], why);
    }
    assert.deepEqual(unsent, []);
  });

  it('a year of events ends with the same plans in any order, and with repeated events', async () => {
    await using app = await startTestApp(engine, { settings: { ...BILLING, LOG_LEVEL: 'silent' } });
    const anyOrder = fc.asyncProperty(fc.infiniteStream(fc.nat()), fc.nat(10), async (dice, repeats) => {
      const cast = await castFor(app);
      const year = billingYear(cast);
      const sent = [...year, ...Array.from({ length: repeats }, () => year[roll(dice, year.length)] ?? assert.fail())];
      const shuffled = sent.map((event) => ({ event, at: roll(dice, 2 ** 30) })).sort((a, b) => a.at - b.at);
      for (const { event } of shuffled) await sendEvent(app, event);
      assert.deepEqual(await plansOf(app, cast), AT_THE_END);
    });
    await fc.assert(anyOrder, { numRuns: ORDERS, endOnFailure: true });
  });

  test('a year of events sent all at once ends with the same plans', async () => {
    await using app = await startTestApp(engine, { settings: BILLING });
    const cast = await castFor(app);
    const results = await Promise.all(
      [...billingYear(cast), ...billingYear(cast)].map((event) => sendEvent(app, event)),
    );
    assert.equal(results.filter((result) => result === 'repeated').length, results.length / 2);
    assert.deepEqual(await plansOf(app, cast), AT_THE_END);
  });
});

const roll = (dice: Iterator<number>, sides: number): number => Number(dice.next().value) % sides;

onlyOn('postgres', () => {
  async function withTwoProcesses(run: (one: TestApp, other: TestApp) => Promise<void>): Promise<void> {
    const database = await createDatabase('postgres');
    try {
      const options = { databaseUrl: database.url, settings: { ...BILLING, ROLE: 'api' } };
      await using one = await startTestApp('postgres', options);
      await using other = await startTestApp('postgres', options);
      await run(one, other);
    } finally {
      await database.drop();
    }
  }

  test('two processes that receive the same events at once store each event once and agree on the plans', async () => {
    await withTwoProcesses(async (one, other) => {
      const cast = await castFor(one);
      const year = billingYear(cast);
      const sent = year.flatMap((event) => [sendEvent(one, event), sendEvent(other, event)]);
      const results = await Promise.all(sent);
      assert.equal(results.filter((result) => result === 'repeated').length, year.length);
      const kept = await one.db.selectFrom('billing_events').select(['id', 'user_id']).execute();
      assert.equal(kept.length, year.length);
      assert.ok(kept.every(({ user_id }) => user_id !== null));
      assert.deepEqual(await plansOf(one, cast), AT_THE_END);
    });
  });

  test('an anonymous purchase and its aliases, sent to two processes at once, result in a plan', async () => {
    await withTwoProcesses(async (one, other) => {
      for (let round = 0; round < sized(5, 25); round += 1) {
        const { ada, anonymous } = await castFor(one);
        const end = { entitlement_ids: ['pro'], expiration_at_ms: '2027-01-01' };
        const sent = [
          providerEvent('INITIAL_PURCHASE', '2026-01-01', { app_user_id: anonymous, ...end }, `p ${round}`),
          providerEvent('SUBSCRIBER_ALIAS', '2026-01-02', { app_user_id: ada, aliases: [`b ${round}`] }, `a ${round}`),
          providerEvent('SUBSCRIBER_ALIAS', '2026-01-02', { aliases: [anonymous, `b ${round}`] }, `b ${round}`),
        ];
        await Promise.all(sent.map((event, index) => sendEvent(index === 1 ? other : one, event)));
        assert.deepEqual(await writtenPlan(one, ada), ['pro', '2027-01-01'], `round ${round}`);
      }
    });
  });
});
