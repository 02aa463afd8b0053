import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginsWord, foldedText, foldedWords, hasWord } from './fold-letters.ts';

const finds = (query: string, text: string) => foldedWords(query).every((word) => hasWord(foldedText(text), word));

const FOUND: [text: string, ...queries: string[]][] = [
  ['Müll', 'muell', 'mull', 'MÜLL', 'Mu\u0308ll', 'üll'],
  ['Muell', 'Müll', 'MUELL'],
  ['Straße', 'strasse', 'STRASSE', 'straße', 'STRAẞE'],
  ['Strasse', 'Straße'],
  ['Café crème', 'cafe CREME', 'café'],
  ['Smørrebrød', 'smorrebrod', 'smoerrebroed', 'SMØRREBRØD'],
  ['Ålesund', 'alesund', 'aalesund'],
  ['Encyclopædia', 'encyclopaedia', 'ENCYCLOPÆDIA'],
  ['œuvre', 'oeuvre', 'Œuvre'],
  ['Łódź', 'lodz', 'ŁÓDŹ'],
  ['İstanbul ışık', 'istanbul isik', 'ISTANBUL'],
  ['Þórður', 'thordur'],
  ['ΟΔΟΣ', 'οδος', 'οδός'],
  ['Ёлка', 'елка'],
  ['ﬁsh ｆｕｌｌ', 'fish full'],
  ['한국어', '한국'],
  ['Đuro ðak ħobż ŧest ŋora', 'duro dak hobz test nora'],
  ['ä-ö-ü-ø-å', 'ae-oe-ue-oe-aa', 'a-o-u-o-a'],
  ['\u212bngström', 'aangstroem', 'angstrom'],
  ['שָׁלוֹם', 'שלום'],
  ['مُحَمَّد', 'محمد'],
];
const NOT_FOUND: [text: string, query: string][] = [
  ['poet', 'pot'],
  ['Mull', 'muell'],
  ['がく', 'かく'],
  ['कि', 'क्'],
  ['%', '_'],
];

test('a search finds a word whatever its case, accents and spelling of umlauts', () => {
  for (const [text, ...queries] of FOUND)
    for (const query of queries) assert.ok(finds(query, text), `${query} in ${text}`);
  for (const [text, query] of NOT_FOUND) assert.ok(!finds(query, text), `${query} in ${text}`);
});

test('a word begins with what is searched at its first letter, not inside it', () => {
  const begins = (query: string, text: string) =>
    foldedWords(query).every((word) => beginsWord(foldedText(text), word));
  assert.deepEqual(
    ['milk', 'buy', 'mi', 'ilk', 'uy', 'milk buy', 'x'].map((query) => begins(query, 'buy milk')),
    [true, true, true, false, false, true, false],
  );
  assert.equal(begins('mull', 'Restmüll (Müll)'), true, 'a later word does');
  assert.equal(begins('mull', 'Restmüll'), false);
  assert.equal(begins('muell', 'Müll'), true, 'in one of its spellings');
  assert.equal(begins('2', 'a2 12'), false);
});

test('a search has the words that are written in it, and of a run of marks thirty count', () => {
  assert.deepEqual(foldedWords('  Milk \n  BUY '), [['milk'], ['buy']]);
  assert.deepEqual(foldedWords(' '), []);
  const vowels = (count: number) => `\u0915${'\u093f'.repeat(count)}`;
  assert.deepEqual(
    [30, 31, 60].map((count) => foldedText(`${vowels(count)}x`).length),
    [32, 32, 32],
  );
  assert.equal(foldedText(`${vowels(31)}ä`).split('\n')[1]?.length, 33);
});
