/** What the timeline and the forecast of a task show, and to whom. */
import assert from 'node:assert/strict';
import { mintToken } from '../support/agents.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { startScenario } from '../support/scenario.ts';
import { storedDelivery } from '../support/stored-delivery.ts';

const DUE = { due_at: '2026-03-02T09:30:00Z', has_time: true };

onEveryEngine((engine, it) => {
  it('through what its owner is reached, and by which token they act, the assigner of a task does not read', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada } = scenario;
    const bob = await createPerson(app);
    const { id: tokenId, token } = await mintToken(ada);
    const { id } = (await bob.ask('POST', '/v1/tasks', { title: 'bins', owner_id: ada.userId, ...DUE })).body.data;
    await ada.ask('POST', `/v1/tasks/${id}/accept`, undefined, token);
    await app.db.updateTable('timeline').set({ unreached: 'enough_today' }).execute();
    const [own, seen] = await Promise.all(
      [ada, bob].map(async (person) => {
        const [nudge] = (await person.ask('GET', `/v1/tasks/${id}/forecast?limit=1`)).body.data;
        const [accepted] = (await person.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
        return { at: nudge.at, ways: nudge.via.length, token: accepted.token_id, unreached: accepted.unreached };
      }),
    );
    const at = '2026-03-02T09:30:00.000Z';
    assert.deepEqual(own, { at, ways: 1, token: tokenId, unreached: 'enough_today' });
    assert.deepEqual(seen, { at, ways: 0, token: null, unreached: null });
  });

  it('a nudge says what became of it, also once its deliveries are forgotten, and lists nothing but its deliveries', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada } = scenario;
    const task = await scenario.create(DUE);
    await scenario.advance('31m');
    await app.engine?.stop();
    const read = async () => {
      const entries = (await ada.ask('GET', `/v1/tasks/${task.id}/timeline`)).body.data;
      return entries.find(({ kind }: { kind: string }) => kind === 'nudge');
    };
    const { id: entry_id } = await read();
    const other = storedDelivery(task, { entry_id, kind: 'activity_update', status: 'pending' });
    await app.db.insertInto('deliveries').values(other).execute();
    assert.equal((await read()).deliveries.length, 1);
    const became = {
      sent: 'sent',
      pending: 'pending',
      cancelled: 'cancelled',
      superseded: 'superseded',
      failed_permanent: 'failed',
    } as const;
    for (const [status, reached] of Object.entries(became)) {
      await app.db
        .updateTable('deliveries')
        .set({ status: status as keyof typeof became })
        .where('kind', '=', 'nudge')
        .execute();
      assert.equal((await read()).reached, reached);
    }
    // Of several, the best counts.
    const best = storedDelivery(task, { entry_id });
    await app.db.insertInto('deliveries').values(best).execute();
    const inOrder = Object.keys(became) as (keyof typeof became)[];
    for (const [index, status] of inOrder.slice(0, -1).entries()) {
      const [isBest, isOther] = [{ status }, { status: inOrder[index + 1] ?? status }];
      const nudges = app.db.updateTable('deliveries').where('kind', '=', 'nudge');
      await nudges.set(isOther).where('target_id', '!=', best.target_id).execute();
      await nudges.set(isBest).where('target_id', '=', best.target_id).execute();
      assert.equal((await read()).reached, became[status]);
    }
    await app.db.deleteFrom('deliveries').execute();
    for (const [devices_reached, reached] of [
      [null, 'not_sent'],
      [0, 'failed'],
      [1, 'sent'],
    ] as const) {
      await app.db.updateTable('timeline').set({ devices_reached }).where('id', '=', entry_id).execute();
      assert.equal((await read()).reached, reached);
    }
  });
});
