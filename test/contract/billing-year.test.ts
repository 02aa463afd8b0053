/** A year of billing events through the webhook: in order, in disorder, again, and all at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Bed, startBed } from '../support/bed.ts';
import { BILLING, castFor, tell, writtenPlan } from '../support/billing.ts';
import { billingYear, type Cast, EXPECTED, millis, providerEvent } from '../support/billing-year.ts';
import { createDatabase, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { signIn } from '../support/people.ts';

const ORDERS = 12;

/** Grace's has ended, and nobody takes back what has ended by itself. */
const AT_THE_END = [
  ['pro', '2027-11-30'],
  ['pro', '2026-12-15'],
];

const plansOf = async (bed: Bed, { ada, grace }: Cast) => [await writtenPlan(bed, ada), await writtenPlan(bed, grace)];

/** What the account's owner sees, wherever the plan is shown. */
async function shownPlan(bed: Bed, email: string): Promise<readonly [string, string | null]> {
  const { ask } = await signIn(bed, email);
  const shown = (await ask('GET', '/v1/me')).body.data;
  const { settings } = (await ask('GET', '/v1/sync')).body.data;
  assert.deepEqual([settings.plan, settings.plan_expires_at], [shown.plan, shown.plan_expires_at]);
  return [shown.plan, shown.plan_expires_at?.replace('T00:00:00.000Z', '') ?? null];
}

onEveryEngine((engine) => {
  test('at every moment of a year the owner sees the plan that was paid for', async () => {
    const clock = new FakeClock('2026-03-01T00:00:00Z');
    await using bed = await startBed(engine, { settings: BILLING, clock });
    const [ada, grace] = [await signIn(bed, 'ada@example.org'), await signIn(bed, 'grace@example.org')];
    const untold = [...billingYear({ ada: ada.userId, grace: grace.userId, anonymous: 'anonymous' })];
    for (const [moment, adas, graces, why] of EXPECTED) {
      clock.set(new Date(millis(moment)).toISOString());
      while (untold[0] && untold[0].event_timestamp_ms <= millis(moment)) await tell(bed, untold.shift() ?? untold[0]);
      assert.deepEqual([await shownPlan(bed, ada.email), await shownPlan(bed, grace.email)], [adas, graces], why);
    }
    assert.deepEqual(untold, []);
  });

  test('in whatever order a year arrives, and however often each event does, it ends with the same plans', async () => {
    await using bed = await startBed(engine, { settings: { ...BILLING, LOG_LEVEL: 'silent' } });
    const anyOrder = fc.asyncProperty(fc.infiniteStream(fc.nat()), fc.nat(10), async (dice, repeats) => {
      const cast = await castFor(bed);
      const year = billingYear(cast);
      const told = [...year, ...Array.from({ length: repeats }, () => year[roll(dice, year.length)] ?? assert.fail())];
      const shuffled = told.map((event) => ({ event, at: roll(dice, 2 ** 30) })).sort((a, b) => a.at - b.at);
      for (const { event } of shuffled) await tell(bed, event);
      assert.deepEqual(await plansOf(bed, cast), AT_THE_END);
    });
    await fc.assert(anyOrder, { numRuns: ORDERS, endOnFailure: true });
  });

  test('a year that is told all at once ends with the same plans', async () => {
    await using bed = await startBed(engine, { settings: BILLING });
    const cast = await castFor(bed);
    const results = await Promise.all([...billingYear(cast), ...billingYear(cast)].map((event) => tell(bed, event)));
    assert.equal(results.filter((result) => result === 'repeated').length, results.length / 2);
    assert.deepEqual(await plansOf(bed, cast), AT_THE_END);
  });
});

const roll = (dice: Iterator<number>, sides: number): number => Number(dice.next().value) % sides;

onlyOn('postgres', () => {
  async function withTwoProcesses(run: (one: Bed, other: Bed) => Promise<void>): Promise<void> {
    const database = await createDatabase('postgres');
    try {
      const options = { databaseUrl: database.url, settings: { ...BILLING, ROLE: 'api' } };
      await using one = await startBed('postgres', options);
      await using other = await startBed('postgres', options);
      await run(one, other);
    } finally {
      await database.drop();
    }
  }

  test('two processes that are told the same year at once take each event once and agree on the plans', async () => {
    await withTwoProcesses(async (one, other) => {
      const cast = await castFor(one);
      const year = billingYear(cast);
      const told = year.flatMap((event) => [tell(one, event), tell(other, event)]);
      const results = await Promise.all(told);
      assert.equal(results.filter((result) => result === 'repeated').length, year.length);
      const kept = await one.db.selectFrom('billing_events').select(['id', 'user_id']).execute();
      assert.equal(kept.length, year.length);
      assert.ok(kept.every(({ user_id }) => user_id !== null));
      assert.deepEqual(await plansOf(one, cast), AT_THE_END);
    });
  });

  test('a purchase of somebody nameless and the word on who that is, told to two processes at once, make a plan', async () => {
    await withTwoProcesses(async (one, other) => {
      for (let round = 0; round < 25; round += 1) {
        const { ada, anonymous } = await castFor(one);
        const end = { entitlement_ids: ['pro'], expiration_at_ms: '2027-01-01' };
        const told = [
          providerEvent('INITIAL_PURCHASE', '2026-01-01', { app_user_id: anonymous, ...end }, `p ${round}`),
          providerEvent('SUBSCRIBER_ALIAS', '2026-01-02', { app_user_id: ada, aliases: [`b ${round}`] }, `a ${round}`),
          providerEvent('SUBSCRIBER_ALIAS', '2026-01-02', { aliases: [anonymous, `b ${round}`] }, `b ${round}`),
        ];
        await Promise.all(told.map((event, index) => tell(index === 1 ? other : one, event)));
        assert.deepEqual(await writtenPlan(one, ada), ['pro', '2027-01-01'], `round ${round}`);
      }
    });
  });
});
