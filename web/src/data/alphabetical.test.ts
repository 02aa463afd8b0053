import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alphabetical } from './alphabetical.ts';

test('names are in the order of the alphabet, whatever their case and accents, and numbers by their size', () => {
  const names = ['Zoo', 'apple', 'Room 10', 'Éclair', 'Room 9', 'Äpfel', 'eel'];
  const sorted = alphabetical(names, (name) => name);
  assert.deepEqual(sorted, ['Äpfel', 'apple', 'Éclair', 'eel', 'Room 9', 'Room 10', 'Zoo']);
  assert.equal(names[0], 'Zoo', 'the list itself stays as it was');
});
