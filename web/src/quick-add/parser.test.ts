import assert from 'node:assert/strict';
import { testInPage } from '../../../test/support/fake-page.ts';
import { strings } from '../strings.ts';
import type { Parser } from './parser.ts';

async function open() {
  const { toasts } = await import('../data/toast.ts');
  toasts.set([]);
  return { ...(await import('./parser.ts')), said: () => toasts.value.map(({ text }) => text) };
}

testInPage('whoever presses Enter is told if the parser cannot be loaded, and the next press tries again', async () => {
  const { loadOnce, said } = await open();
  assert.equal(await loadOnce(() => Promise.reject(new TypeError('Failed to fetch'))), undefined);
  assert.deepEqual(said(), [strings.problems.byCode.offline]);
  const parser = {} as Parser;
  assert.equal(await loadOnce(async () => parser), parser);
  assert.equal(said().length, 1);
});

testInPage('a second press while the parser loads adds nothing, and says nothing', async () => {
  const { loadOnce, said } = await open();
  const { promise, resolve } = Promise.withResolvers<Parser>();
  const first = loadOnce(() => promise);
  assert.equal(await loadOnce(() => assert.fail('loaded twice')), undefined);
  const parser = {} as Parser;
  resolve(parser);
  assert.equal(await first, parser);
  assert.deepEqual(said(), []);
});
