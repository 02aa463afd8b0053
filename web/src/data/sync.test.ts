import assert from 'node:assert/strict';
import { testInBrowser } from '../../../test/support/fake-browser.ts';

const task = (title: string, updated_at: string) => ({ id: 'bins', title, updated_at });

const PAGE = {
  localStorage: { getItem: () => null },
  addEventListener: () => undefined,
  document: { addEventListener: () => undefined },
};

testInBrowser(
  'an answer that comes again late does not replace what sync has brought meanwhile',
  async () => {
    const { currentTasks, mergeTask } = await import('./sync.ts');
    const { queryClient } = await import('./query-client.ts');
    const synced = { tasks: { bins: task('as it is', '2026-03-02T10:00:00Z') }, settings: {}, since: '' };
    queryClient.setQueryData(['sync'], synced);
    const titles = () => currentTasks().map(({ title }) => title);
    mergeTask(task('as it was', '2026-03-02T09:00:00Z'));
    assert.deepEqual(titles(), ['as it is']);
    mergeTask(task('as it is now', '2026-03-02T11:00:00Z'));
    assert.deepEqual(titles(), ['as it is now']);
    queryClient.clear();
  },
  PAGE,
);
