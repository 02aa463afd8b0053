import assert from 'node:assert/strict';
import { listHistory } from '../../src/archive/archive.store.ts';
import { type ExportRange, ExportService } from '../../src/archive/export.service.ts';
import { Audit } from '../../src/lib/audit.ts';
import type { SessionCaller } from '../../src/lib/caller.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { onEveryEngineWith } from '../support/engines.ts';
import { type Person, startWithAda } from '../support/people.ts';
import type { TestApp } from '../support/test-app.ts';

type Histories = Readonly<Record<'outcomes' | 'timeline' | 'task_changes' | 'text_writers', readonly object[]>>;

const create = async ({ ask }: Person, fields: object = {}): Promise<string> =>
  (await ask('POST', '/v1/tasks', { title: 'pills', ...fields })).body.data.id;

function exported(app: TestApp, { userId }: Person, range: ExportRange): AsyncGenerator<string> {
  const caller: SessionCaller = { kind: 'session', userId, sessionId: newId(), provenAt: app.clock.now() };
  const audit = new Audit(createLogger('silent'));
  const exports = new ExportService(
    app.db,
    app.clock,
    audit,
    async () => ({}),
    () => undefined,
  );
  return exports.begin(caller, '203.0.113.7', range).text;
}

onEveryEngineWith(startWithAda, (it, test) => {
  test('the history of tasks has every entry once, however many pages it takes', async ({ app, ada }) => {
    const ids = [await create(ada), await create(ada)];
    for (const id of ids) for (const title of ['a', 'b', 'c']) await ada.ask('PATCH', `/v1/tasks/${id}`, { title });
    const all = await listHistory(app.db, 'timeline', ids, undefined, 1_000);
    assert.ok(all.length >= 6);
    for (const limit of [1, 2, 3]) {
      const paged: typeof all = [];
      for (;;) {
        const page = await listHistory(app.db, 'timeline', ids, paged.at(-1), limit);
        if (page.length === 0) break;
        paged.push(...page);
        assert.ok(paged.length <= all.length, 'an entry came twice');
      }
      assert.deepEqual(paged, all);
    }
  });

  it('the next part of an export begins behind the last task of the one before', async ({ ada }) => {
    const ids = [await create(ada), await create(ada), await create(ada)].sort();
    const { body } = await ada.ask('GET', `/v1/me/export?after=${ids[1]}`);
    assert.deepEqual(
      body.data.tasks.map(({ id }: { id: string }) => id),
      [ids[2]],
    );
  });

  it('each row of an export is charged, and a part for an import ends before it is larger than one import takes', async ({
    app,
    ada,
  }) => {
    const ids = [await create(ada), await create(ada), await create(ada)].sort();
    await ada.ask('POST', `/v1/tasks/${ids[0]}/complete`);
    let charged = 0;
    const charge = (rows: number) => {
      charged += rows;
    };
    const whole = (await Array.fromAsync(exported(app, ada, { isImportable: false, charge }))).join('');
    const rows = JSON.parse(whole).data.tasks.flatMap(
      ({ outcomes, timeline, task_changes, text_writers }: Histories) => [
        'task',
        ...outcomes,
        ...timeline,
        ...task_changes,
        ...text_writers,
      ],
    );
    assert.equal(charged, rows.length);
    // One of them is 17 MB, in half as many characters.
    await app.db
      .updateTable('tasks')
      .set({ notes: 'ä'.repeat(8_500_000) })
      .where('id', '=', ids[0] as string)
      .execute();
    const part = (await Array.fromAsync(exported(app, ada, { isImportable: true, charge }))).join('');
    assert.ok(part.endsWith(`"next_after":"${ids[0]}"},"error":null}`));
  });

  it('an export whose tasks are deleted meanwhile does not end as if it were whole', async ({ app, ada }) => {
    for (let count = 0; count < 8; count += 1) await create(ada, { notes: 'x'.repeat(9_000) });
    const text = exported(app, ada, { isImportable: false, charge: () => undefined });
    const first = await text.next();
    assert.equal(first.done, false);
    await app.db.deleteFrom('tasks').where('owner_id', '=', ada.userId).execute();
    await assert.rejects(async () => {
      for await (const _ of text);
    }, /deleted during their export/);
  });
});
