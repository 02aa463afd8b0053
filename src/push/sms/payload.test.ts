import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CONFIRMATION, messageOf } from '../../../test/support/sample-messages.ts';
import { words } from '../../lib/words.ts';
import { buildHeldText, buildText, isHeldText, shownTitle } from './payload.ts';
import { countSegments } from './sms-segments.ts';

const titleOf = (title: string) => buildText(messageOf({ title })).split(':')[0];

const TITLES: readonly [title: string, shown: string, segments: number][] = [
  ['Take the pills', 'Take the pills', 1],
  ['Pills 💊 for Ada 👩🏽‍⚕️', 'Pills for Ada', 1],
  ['“Don’t” – wait…', `"Don't" - wait...`, 1],
  ['A\u00a0non-breaking\u202fspace', 'A non-breaking space', 1],
  ['Léky a čaj, gør', 'Léky a caj, gør', 1],
  ['🇬🇧', '', 1],
  ['[a] {b} €5', '[a] {b} €5', 1],
  ['Принять таблетки', 'Принять таблетки', 2],
  ['薬を飲む', '薬を飲む', 2],
];

for (const [title, shown, segments] of TITLES) {
  test(`the title ${JSON.stringify(title)} is sent as ${JSON.stringify(shown)} in ${segments} segments`, () => {
    assert.equal(titleOf(title), shown);
    assert.equal(countSegments(buildText(messageOf({ title }))), segments);
  });
}

const SIZES: readonly [text: string, segments: number][] = [
  ['', 1],
  ['a'.repeat(160), 1],
  ['a'.repeat(161), 2],
  ['a'.repeat(306), 2],
  ['a'.repeat(307), 3],
  ['€'.repeat(80), 1],
  ['€'.repeat(81), 2],
  ['ж'.repeat(70), 1],
  ['ж'.repeat(71), 2],
  [`${'a'.repeat(69)}💊`, 2],
];

for (const [text, segments] of SIZES) {
  test(`${text.length} characters that start with ${text.slice(0, 1)} are ${segments} segments`, () => {
    assert.equal(countSegments(text), segments);
  });
}

test('a long title is cut so that one segment is enough, and the link is whole', () => {
  const text = buildText(messageOf({ title: 'a very long title '.repeat(20) }));
  assert.equal(countSegments(text), 1);
  assert.match(text, /^a very long title .*\.\.: Still open, due at 10:00\nhttps:\/\/crescendo\.example\/a\/t{62}$/);
});

test('no title makes a message longer than four segments, or cuts its link', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), (title) => {
      const message = messageOf({ title });
      const text = buildText(message);
      assert.ok(countSegments(text) <= 4);
      assert.ok(text.endsWith(`\n${message.actions?.page}`));
    }),
  );
});

test('a code and a test fit into one segment, without a link', () => {
  const body = 'Your code is 123456. If you did not ask to be reminded here, do nothing.';
  const confirm = buildText(messageOf({ kind: 'confirm', body, actions: null, confirm: CONFIRMATION }));
  assert.equal(confirm, `Crescendo: ${body}`);
  assert.equal(countSegments(confirm), 1);
  assert.equal(
    buildText(messageOf({ kind: 'test', title: 'It works', body: 'Yes.', actions: null })),
    'It works. Yes.',
  );
});

test('a held message has two segments at most, and is recognised whatever its title is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), fc.string({ maxLength: 500 }), (title, list) => {
      const text = buildHeldText(
        title,
        `${words.understudy.silentSince('Mon 09:00')} ${words.understudy.dueByNow(list)}`,
      );
      assert.ok(countSegments(text) <= 2);
      assert.ok(isHeldText(text), text);
    }),
  );
});

test('what counts as shown of a title is what the text has of it, with the characters that cost nothing', () => {
  const countOf = (text = '') => [...text].filter((char) => char === 'a').length;
  const message = messageOf({ title: `${'💊'.repeat(30)}${'a'.repeat(700)}` });
  const sent = buildText(message).split('..')[0];
  const shown = shownTitle(message);
  assert.ok(shown.startsWith('💊'.repeat(30)) && shown.endsWith('…'));
  assert.deepEqual([countOf(shown), countOf(sent) > 0], [countOf(sent), true]);
  assert.equal(shownTitle(messageOf({ title: 'pills 💊' })), 'pills 💊');
});
