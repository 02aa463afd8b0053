import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent } from './define-tool.ts';
import { readTasks } from './define-tool.ts';
import { neededScopes } from './needed-scopes.ts';

const callOf = (name: string) => ({ method: 'tools/call', params: { name } });

test('a batch needs the scopes of all its messages', () => {
  const messages = [callOf('list_tasks'), callOf('create_task'), { method: 'tools/list' }, callOf('no such tool')];
  assert.deepEqual(neededScopes(messages, '/mcp'), ['tasks:read', 'tasks:write']);
  assert.deepEqual(neededScopes(callOf('create_task'), '/mcp'), ['tasks:write']);
  assert.deepEqual(neededScopes([{ method: 'tools/list' }, null], '/mcp'), []);
  // Resources are at one of the addresses alone.
  for (const method of ['resources/read', 'subscriptions/listen']) {
    assert.deepEqual(neededScopes({ method }, '/mcp/all'), ['tasks:read']);
    assert.deepEqual(neededScopes({ method }, '/mcp'), []);
  }
});

test('tasks are read by their ids, however many they are', async () => {
  const urls: string[] = [];
  const api = async ({ url }: { readonly url: string }) => {
    urls.push(url);
    return { data: (url.split('ids=')[1] ?? '').split(',').map((id) => ({ id })) };
  };
  const agent = { canRead: true, api } as unknown as Agent;
  const ids = Array.from({ length: 120 }, (_, index) => `task-${index}`);
  assert.deepEqual([...(await readTasks(agent, ids)).keys()], ids);
  assert.equal(urls.length, 3);
  assert.equal((await readTasks({ ...agent, canRead: false }, ids)).size, 0);
});
