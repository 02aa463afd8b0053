/** `crescendo explain`: what became of the last nudge of a task. */
import assert from 'node:assert/strict';
import { startCliTestApp } from '../support/command-line.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { channelRow } from '../support/stored-channel.ts';

onEveryEngine((engine, it) => {
  it('the last nudge is explained with all that still waits, also of earlier ones, or why nothing was sent', async () => {
    await using cli = await startCliTestApp(engine);
    const { app } = cli;
    const ada = await createPerson(app);
    const now = app.clock.now();
    await app.db
      .insertInto('channels')
      .values(channelRow(now, { user_id: ada.userId, provider: 'ntfy' }))
      .execute();
    const due_at = new Date(now.getTime() + 60_000).toISOString();
    const { id } = (await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at, has_time: true })).body.data;
    await app.clock.advance('2m');
    await app.clock.advance('15m');
    await app.engine?.stop();
    const set = (nudge: number, status: 'pending' | 'sent' | 'failed_permanent') =>
      app.db.updateTable('deliveries').set({ status }).where('task_id', '=', id).where('nudge', '=', nudge).execute();
    const explain = async () => (await cli.command('explain', id, '--json')).json.data;
    const { last, deliveries } = await explain();
    assert.equal(last.nudge, 2);
    await set(1, 'pending');
    await set(2, 'sent');
    assert.deepEqual(
      (await explain()).deliveries.map(({ target }: { target: string }) => target),
      ['ntfy', 'ntfy'],
    );
    await set(1, 'failed_permanent');
    assert.equal((await explain()).deliveries.length, 1);
    assert.equal(deliveries.at(-1).target, 'ntfy');
    await app.db.deleteFrom('deliveries').where('task_id', '=', id).execute();
    const unsent = (await explain()).deliveries;
    assert.deepEqual([unsent.length, unsent[0].target], [1, '']);
  });
});
