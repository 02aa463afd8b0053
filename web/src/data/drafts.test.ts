import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { fakeStorage } from '../../../test/support/fake-page.ts';
import { forgetDrafts, keepDraft, readDraft } from './drafts.ts';

// A hook outside would run before the tests of other files in this process, too.
describe('drafts', () => {
  beforeEach(() => {
    globalThis.localStorage = fakeStorage();
  });

  test('a draft is kept for its account alone, until it is forgotten or signing out clears it', () => {
    keepDraft('ada', 'add', 'buy mi');
    keepDraft('ada', 'edit 1', { title: 'x' });
    assert.equal(readDraft('ada', 'add'), 'buy mi');
    assert.equal(readDraft('bob', 'add'), undefined);
    keepDraft('ada', 'add', undefined);
    assert.equal(readDraft('ada', 'add'), undefined);
    forgetDrafts();
    assert.deepEqual(Object.keys(localStorage), []);
  });

  test('the newest twenty are kept, for two weeks, and none that is too long', (context) => {
    context.mock.timers.enable({ apis: ['Date'] });
    for (let index = 0; index < 25; index += 1) {
      keepDraft('ada', `edit ${index}`, index);
      context.mock.timers.tick(1_000);
    }
    assert.deepEqual([readDraft('ada', 'edit 4'), readDraft('ada', 'edit 5')], [undefined, 5]);
    keepDraft('bob', 'add', 'mine');
    assert.deepEqual(Object.keys(localStorage), ['crescendo-draft bob add']);
    keepDraft('bob', 'long', 'x'.repeat(60_000));
    assert.equal(readDraft('bob', 'long'), undefined);
    context.mock.timers.tick(14 * 86_400_000);
    assert.equal(readDraft('bob', 'add'), undefined);
  });

  test('what cannot be read or stored stops nobody from typing, and no older text comes back', (context) => {
    localStorage.setItem('crescendo-draft ada add', '{ not json');
    assert.equal(readDraft('ada', 'add'), undefined);
    keepDraft('ada', 'add', 'short');
    keepDraft('ada', 'add', 'x'.repeat(60_000));
    assert.equal(readDraft('ada', 'add'), undefined);
    keepDraft('', 'add', 'of nobody');
    assert.deepEqual(Object.keys(localStorage), []);
    context.mock.method(Object.getPrototypeOf(localStorage), 'setItem', () => {
      throw new DOMException('It is full', 'QuotaExceededError');
    });
    assert.doesNotThrow(() => keepDraft('ada', 'add', 'more'));
  });

  test('a draft that is typed on takes the place of none', () => {
    for (let index = 0; index < 20; index += 1) keepDraft('ada', `edit ${index}`, index);
    keepDraft('ada', 'edit 7', 'more');
    assert.equal(Object.keys(localStorage).length, 20);
    assert.equal(readDraft('ada', 'edit 7'), 'more');
  });
});
