import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold, readComponents } from './content-lines.ts';

test('no line is longer than 75 bytes, and a folded line is read back as it was', () => {
  for (const text of ['x'.repeat(70), 'x'.repeat(400), 'ü'.repeat(200), '👩‍🚀'.repeat(60)]) {
    const line = `SUMMARY:${text}`;
    const folded = fold(line);
    for (const piece of folded.split('\r\n')) assert.ok(Buffer.byteLength(piece) <= 75, piece);
    const [component] = readComponents(`BEGIN:VTODO\r\n${folded}END:VTODO\r\n`);
    assert.deepEqual(component?.lines, [{ name: 'SUMMARY', text: line }]);
  }
});
