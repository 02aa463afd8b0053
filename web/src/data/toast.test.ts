import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { dropEndedToasts, runToast, showToast, TOAST_MS, toasts, undoNewest } from './toast.ts';

const texts = () => toasts.value.map(({ text }) => text);

// A hook outside would run before the tests of other files in this process, too.
describe('toasts', () => {
  beforeEach(() => toasts.set([]));

  test('Undo takes back one action after another, the newest first, and never what a toast only offers', () => {
    const undone: string[] = [];
    for (const text of ['first', 'second']) showToast(text, { label: 'Undo', run: () => void undone.push(text) });
    showToast('offer', { label: 'Ring anyway', run: () => void undone.push('offer'), isOffer: true });
    assert.deepEqual([undoNewest(), undone, texts()], [true, ['second'], ['first', 'offer']]);
    assert.deepEqual([undoNewest(), undone], [true, ['second', 'first']]);
    assert.deepEqual([undoNewest(), undone], [false, ['second', 'first']]);
    for (const toast of toasts.value) runToast(toast);
    assert.deepEqual([undone.at(-1), texts()], ['offer', []]);
  });

  test('of messages without an action only the newest stays, and what can be undone stays until its time is over', (context) => {
    context.mock.timers.enable({ apis: ['Date'] });
    showToast('saved');
    showToast('dropped', { label: 'Undo', run: () => undefined });
    context.mock.timers.tick(1_000);
    showToast('renamed');
    assert.deepEqual(texts(), ['dropped', 'renamed']);
    context.mock.timers.tick(TOAST_MS - 1_000);
    dropEndedToasts();
    assert.deepEqual(texts(), ['renamed']);
  });
});
