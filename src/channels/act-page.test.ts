import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderPage } from './act-page.ts';
import type { ActView } from './act-view.ts';

const buttonsOf = (view: Partial<ActView>) =>
  [...renderPage({ state: 'ready', title: null, ...view }).matchAll(/action="\?do=(\w+)"/g)].map(
    ([, action]) => action,
  );

test('a page offers what can be done in its state, and nothing else', () => {
  const offered: Partial<Record<ActView['state'], readonly string[]>> = {
    ready: ['done', 'snooze', 'stop'],
    seen: ['done', 'snooze'],
    done: ['undo'],
    to_confirm: ['confirm'],
    asked: ['accept', 'decline', 'stop'],
    asked_to_stand_in: ['accept', 'decline', 'stop'],
    told: ['stop'],
  };
  for (const [state, actions] of Object.entries(offered))
    assert.deepEqual(buttonsOf({ state: state as ActView['state'] }), actions, state);
  for (const state of ['snoozed', 'undone', 'stopped', 'passed', 'expired', 'unknown', 'left', 'request_gone'] as const)
    assert.deepEqual(buttonsOf({ state }), [], state);
});

test('a stand-in can also stop standing in', () => {
  assert.deepEqual(buttonsOf({ standsInFor: 'grace' }), ['done', 'snooze', 'leave', 'stop']);
  assert.deepEqual(buttonsOf({ state: 'seen', standsInFor: 'grace' }), ['done', 'snooze', 'leave']);
  assert.deepEqual(buttonsOf({ state: 'done', standsInFor: 'grace' }), ['undo']);
});

test('a title becomes no markup, a hidden one is named by its code, and the way into the app leads to what it is about', () => {
  const page = (view: Partial<ActView>) => renderPage({ state: 'ready', title: null, ...view });
  assert.match(page({ title: '<b>"pills"</b>' }), /&lt;b&gt;/);
  assert.doesNotMatch(page({ title: '<b>pills</b>' }), /<b>/);
  assert.match(page({ code: '#K7F3' }), /#K7F3/);
  assert.doesNotMatch(page({ title: 'pills', code: '#K7F3' }), /#K7F3/);
  assert.match(page({ taskId: 'the-task' }), /href="\/app\/tasks\/the-task"/);
  assert.match(page({ standsInFor: 'grace' }), /href="\/app\/stand-ins"/);
  assert.match(page({}), /href="\/app"/);
});
