import assert from 'node:assert/strict';
import { testInPage } from '../../../test/support/fake-page.ts';

testInPage(
  'a ladder is chosen or given back for a task, a label or the account, and then all that is shown is read again',
  async (browser) => {
    const { chooseForTask, chooseForLabel, chooseDefault, saveLadder, deleteLadder } = await import(
      './ladder-queries.ts'
    );
    const { queryClient } = await import('../data/query-client.ts');
    const gentle = { preset: 'gentle' } as const;
    const ladder = { rungs: [{ after: 0, stage: 0 }], end: null };
    for (const [change, asked] of [
      [() => chooseForTask('bins', gentle), 'PUT /v1/tasks/bins/ladder'],
      [() => chooseForTask('bins', undefined), 'DELETE /v1/tasks/bins/ladder'],
      [() => chooseForLabel('bill', gentle), 'PUT /v1/ladders/labels'],
      [() => chooseForLabel('bill', undefined), 'DELETE /v1/ladders/labels?label=bill'],
      [() => chooseDefault(gentle), 'PUT /v1/ladders/default'],
      [() => chooseDefault(undefined), 'DELETE /v1/ladders/default'],
      [() => saveLadder(undefined, 'mine', ladder), 'POST /v1/ladders'],
      [() => saveLadder('one', 'mine', ladder), 'PATCH /v1/ladders/one'],
      [() => deleteLadder('one'), 'DELETE /v1/ladders/one'],
    ] as const) {
      queryClient.clear();
      for (const queryKey of [['sync'], ['task', 'bins', 'forecast']]) queryClient.setQueryData(queryKey, {});
      await change();
      assert.equal(browser.asked.at(-1), asked);
      for (const { state } of queryClient.getQueryCache().getAll()) assert.equal(state.isInvalidated, true, asked);
    }
    assert.deepEqual(browser.requests[2]?.body, { label: 'bill', preset: 'gentle' });
    queryClient.clear();
  },
);
