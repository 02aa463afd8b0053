/** Live Activities end with the task that they show. */
import assert from 'node:assert/strict';
import { newId } from '../../src/lib/ids.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  it('a task that is closed ends each running Live Activity once, where it runs, and cancels its own nudges alone', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const ada = await createPerson(app);
    const create = async (title: string) => (await ada.ask('POST', '/v1/tasks', { title })).body.data.id;
    const [task_id, other] = [await create('pills'), await create('bins')];
    const started_at = app.clock.now();
    const activity = (fields: object) => ({
      id: newId(),
      task_id,
      device_id: null,
      token: 'ab'.repeat(40),
      token_hash: newId(),
      push_env: 'production' as const,
      started_at,
      ended_at: null,
      ...fields,
    });
    const activities = {
      production: activity({}),
      sandbox: activity({ push_env: 'sandbox' }),
      ended: activity({ ended_at: started_at }),
      unreported: activity({ token: null, token_hash: null }),
    };
    await app.db.insertInto('live_activities').values(Object.values(activities)).execute();
    const kinds = ['nudge', 'activity_start', 'activity_update'] as const;
    const waiting = kinds.map((kind) => storedDelivery({ id: task_id, owner_id: ada.userId }, { kind }));
    const ofOther = storedDelivery({ id: other, owner_id: ada.userId }, {});
    await app.db
      .insertInto('deliveries')
      .values([...waiting, ofOther])
      .execute();
    assert.equal((await ada.ask('POST', `/v1/tasks/${task_id}/complete`)).status, 200);
    const deliveries = await app.db.selectFrom('deliveries').selectAll().execute();
    const isEnd = ({ kind }: { kind: string }) => kind === 'activity_end';
    assert.deepEqual(
      Object.fromEntries(deliveries.filter(isEnd).map(({ target_id, provider }) => [target_id, provider])),
      { [activities.production.id]: 'apns', [activities.sandbox.id]: 'apns_sandbox' },
    );
    const others = deliveries.filter((one) => !isEnd(one));
    assert.deepEqual(others.map(({ kind, status }) => [kind, status]).toSorted(), [
      ['activity_start', 'cancelled'],
      ['activity_update', 'cancelled'],
      ['nudge', 'cancelled'],
      ['nudge', 'pending'],
    ]);
    const running = app.db.selectFrom('live_activities').select('id').where('ended_at', 'is', null);
    assert.deepEqual(await running.execute(), []);
  });
});
