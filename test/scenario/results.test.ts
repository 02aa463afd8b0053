/** What the results of sends leave, besides the deliveries. */
import assert from 'node:assert/strict';
import { ResultWriter } from '../../src/deliveries/result-writer.ts';
import { listTierDeliveries } from '../../src/deliveries/waiting-tiers.ts';
import { findTierToHasten } from '../../src/escalation/fallback.ts';
import { fixedBatchSize } from '../../src/lib/batch-size.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { onEveryEngine } from '../support/engines.ts';
import { startScenario } from '../support/scenario.ts';
import { storedDelivery } from '../support/stored-delivery.ts';

onEveryEngine((engine, it) => {
  it('a Live Activity that could not be started is none, and a message that was taken back has no name any more', async () => {
    await using scenario = await startScenario(engine);
    const { db, clock } = scenario.app;
    const task = await scenario.create({});
    await scenario.app.engine?.stop();
    const started = { task_id: task.id, device_id: scenario.device, push_env: 'production', token: null } as const;
    const unstarted = { ...started, id: newId(), token_hash: null, started_at: clock.now(), ended_at: null };
    const other = { ...unstarted, id: newId(), task_id: (await scenario.create({})).id };
    await db.insertInto('live_activities').values([unstarted, other]).execute();
    const messages = (['request', 'nudge'] as const).map((kind) =>
      storedDelivery(task, { kind, status: 'sent', ref: kind }),
    );
    const retractions = messages.map(({ entry_id, target_id, kind }) =>
      storedDelivery(task, { entry_id, target_id, kind: kind === 'nudge' ? 'retract' : 'request_retract' }),
    );
    const start = storedDelivery(task, { kind: 'activity_start', target_id: scenario.device });
    await db
      .insertInto('deliveries')
      .values([...messages, ...retractions, start])
      .execute();
    const results = new ResultWriter(db, clock, fixedBatchSize, createLogger('error'));
    for (const { entry_id, target_id, kind } of [...retractions, start]) {
      const status = kind === 'activity_start' ? 'failed_permanent' : 'sent';
      const attempt = { reason: null, attempts: 1, next_attempt_at: clock.now(), ref: null };
      const row = { entry_id, target_id, kind, status, waits_for: null, ...attempt } as const;
      results.write({ row, deadToken: null, channel: null, onStored: () => undefined });
    }
    await results.close();
    const left = await db.selectFrom('live_activities').select('id').execute();
    assert.deepEqual(left, [{ id: other.id }], 'that of another task is');
    const named = await db.selectFrom('deliveries').select('kind').where('ref', 'is not', null).execute();
    assert.deepEqual(named, []);
  });

  it('a nudge falls to the next tier because the one before failed, not because it was superseded or cancelled', async () => {
    await using scenario = await startScenario(engine);
    const { db } = scenario.app;
    const task = await scenario.create({});
    await scenario.app.engine?.stop();
    const fallsTo = async (status: 'failed_transient' | 'failed_permanent' | 'superseded' | 'cancelled' | 'sent') => {
      const entry_id = newId();
      const rows = [
        storedDelivery(task, { entry_id, status, tier: 0, waits_for: null }),
        storedDelivery(task, { entry_id, kind: 'retract', status: 'sent', tier: 0, waits_for: null }),
        storedDelivery(task, { entry_id, tier: 1, waits_for: 'tier' }),
      ];
      await db.insertInto('deliveries').values(rows).execute();
      return findTierToHasten(await listTierDeliveries(db, entry_id));
    };
    const states = ['failed_transient', 'failed_permanent', 'superseded', 'cancelled', 'sent'] as const;
    const tiers = [];
    for (const state of states) tiers.push(await fallsTo(state));
    assert.deepEqual(tiers, [1, 1, undefined, undefined, undefined]);
  });
});
