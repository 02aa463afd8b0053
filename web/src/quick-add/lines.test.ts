import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf, oneWithNotes } from './lines.ts';
import { offeredText, readOffered } from './offered-text.ts';

test('the lines of a list are tasks without its marks; numbers are marks only if every line has one', () => {
  assert.deepEqual(linesOf('- milk\n\n* [x] eggs\n• bread\n[ ] rice\n  2 pears  '), [
    'milk',
    'eggs',
    'bread',
    'rice',
    '2 pears',
  ]);
  assert.deepEqual(linesOf('1. wash\n2) dry'), ['wash', 'dry']);
  assert.deepEqual(linesOf('1. wash\nthen dry'), ['1. wash', 'then dry']);
  assert.deepEqual(linesOf('3. wash'), ['3. wash']);
  assert.deepEqual(linesOf('-5 degrees: bring plants in'), ['-5 degrees: bring plants in']);
});

test('as one task, the first line is the task and the others its notes, after notes of its own', () => {
  const options = { now: Date.parse('2026-03-02T09:00:00Z'), zone: 'UTC', dayFirst: true };
  const { title, notes, due } = oneWithNotes('\nShop tomorrow // by bike\nmilk\n\neggs\n', options);
  assert.deepEqual([title, notes, due?.day], ['Shop', 'by bike\n\nmilk\n\neggs', 3]);
});

test('what another app offers is one text, each part once and the address in the notes', () => {
  const lamp = 'https://shop.test/lamp';
  assert.equal(offeredText({ title: 'Buy the lamp', text: lamp, url: lamp }), `Buy the lamp // ${lamp}`);
  assert.equal(offeredText({ title: `Look: ${lamp}`, url: lamp }), `Look: ${lamp}`);
  assert.equal(offeredText({ text: 'Two\nlines', url: lamp }), `Two\nlines // ${lamp}`);
  assert.equal(offeredText({ title: 'A', text: 'b\n c' }), 'A // b c');
  assert.equal(offeredText({}), '');
  assert.equal(offeredText({ title: 'x'.repeat(3_999), url: lamp }).length, 4_000);
});

test('what the router has read as a number or a list is text, and nothing else of the address counts', () => {
  assert.deepEqual(readOffered({ title: 7, text: [1], url: ' ', other: 'x' }), { title: '7', text: '[1]' });
  assert.deepEqual(readOffered({}), {});
});
