import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  escapeText,
  findLine,
  fold,
  lineValue,
  listOf,
  readComponents,
  unescapeText,
  writeComponent,
  writeLines,
} from './content-lines.ts';

test('no line is longer than 75 bytes, and a folded line is read back as it was', () => {
  for (const text of ['x'.repeat(70), 'x'.repeat(400), 'ü'.repeat(200), '👩‍🚀'.repeat(60)]) {
    const line = `SUMMARY:${text}`;
    const folded = fold(line);
    for (const piece of folded.split('\r\n')) assert.ok(Buffer.byteLength(piece) <= 75, piece);
    const [component] = readComponents(`BEGIN:VTODO\r\n${folded}END:VTODO\r\n`);
    assert.deepEqual(component?.lines, [{ name: 'SUMMARY', text: line }]);
  }
});

test('a line is folded only if it has to be, and at the last character that fits', () => {
  assert.equal(fold('x'.repeat(75)), `${'x'.repeat(75)}\r\n`);
  assert.equal(fold('x'.repeat(76)), `${'x'.repeat(75)}\r\n x\r\n`);
  assert.equal(fold('ü'.repeat(37)), `${'ü'.repeat(37)}\r\n`);
  assert.equal(fold('ü'.repeat(38)), `${'ü'.repeat(37)}\r\n ü\r\n`);
  assert.equal(fold('x'.repeat(150)), `${'x'.repeat(75)}\r\n ${'x'.repeat(74)}\r\n x\r\n`);
});

test('components are read whatever their line ends and their case, and written as they were', () => {
  const text = 'BEGIN:VTODO\r\nSUMMARY;LANGUAGE=en:a\r\nBEGIN:VALARM\r\nX:1\r\nY:2\r\nEND:VALARM\r\nEND:VTODO\r\n';
  const [todo, ...others] = readComponents(text);
  assert.deepEqual(todo, {
    name: 'VTODO',
    lines: [{ name: 'SUMMARY', text: 'SUMMARY;LANGUAGE=en:a' }],
    parts: [
      {
        name: 'VALARM',
        lines: [
          { name: 'X', text: 'X:1' },
          { name: 'Y', text: 'Y:2' },
        ],
        parts: [],
      },
    ],
  });
  assert.deepEqual(others, []);
  assert.ok(todo);
  assert.equal(writeComponent(todo), text);
  const two = 'BEGIN:A\r\nBEGIN:B\r\nEND:B\r\nBEGIN:C\r\nEND:C\r\nEND:A\r\n';
  assert.equal(readComponents(two).map(writeComponent).join(), two);
  assert.equal(writeLines(todo.parts[0]?.lines ?? []), 'X:1\r\nY:2\r\n');
  const other = `\uFEFFbegin: vtodo \nsummary;LANGUAGE=e\n n:a\n\n \t\n${text.slice(text.indexOf('BEGIN:VALARM')).replaceAll('\r', '')}`;
  assert.deepEqual(readComponents(other)[0]?.parts, todo.parts);
  assert.deepEqual(readComponents(other)[0]?.lines, [{ name: 'SUMMARY', text: 'summary;LANGUAGE=en:a' }]);
  assert.equal(findLine(todo, 'SUMMARY')?.name, 'SUMMARY');
  assert.equal(findLine(todo, 'X'), undefined);
});

test('what is no component is refused, and so is what is nested too deep', () => {
  const nested = (depth: number) => `${'BEGIN:A\n'.repeat(depth)}${'END:A\n'.repeat(depth)}`;
  assert.equal(readComponents(nested(7)).length, 1);
  const refused: readonly [text: string, why: RegExp][] = [
    [nested(8), /deeper than 8/],
    ['BEGIN:A\nX\nEND:A', /NAME:VALUE/],
    ['BEGIN:A\nX;Y=1\nEND:A', /NAME:VALUE/],
    ['BEGIN:A\nÜ X:1\nEND:A', /NAME:VALUE/],
    ['BEGIN:A', /no END/],
    ['X:1', /outside/],
    ['BEGIN:A\nEND:B', /differ/],
    ['END:A', /differ/],
    ['END:', /differ/],
  ];
  for (const [text, why] of refused)
    assert.throws(() => readComponents(text), { name: 'DavRefusal', status: 403, message: why }, text);
});

test('a value stands behind the first colon that is in no quotes', () => {
  const cases: readonly [line: string, value: string][] = [
    ['X:a:b', 'a:b'],
    ['X;Y=1:a', 'a'],
    ['X;Y="a:b":c', 'c'],
    ['X;Y="a:b";Z="c:d":e"f:g', 'e"f:g'],
    ['X;Y="":a', 'a'],
    ['X;Y="a:b', 'b'],
    ['X:"a:b"', '"a:b"'],
  ];
  for (const [text, value] of cases) assert.equal(lineValue({ name: 'X', text }), value, text);
});

test('texts and lists are escaped, and read back as they were', () => {
  assert.equal(escapeText('a;b,c\\d\ne'), 'a\\;b\\,c\\\\d\\ne');
  for (const text of ['a;b,c\\d\ne', '\\n', ',', '']) assert.equal(unescapeText(escapeText(text)), text);
  assert.equal(unescapeText('a\\Nb\\nc\\:'), 'a\nb\nc:');
  assert.deepEqual(listOf(' a , b\\,c,, ,d\\\\'), ['a', 'b,c', 'd\\']);
  assert.deepEqual(listOf(''), []);
});
