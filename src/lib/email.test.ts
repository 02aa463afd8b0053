import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sized } from '../../test/support/size.ts';
import { findNormalEmail, normalizeEmail } from './email.ts';
import { InvalidInput } from './errors.ts';

const TABLE: readonly [text: string, stored: string | undefined][] = [
  ['ada@example.org', 'ada@example.org'],
  [' Ada@EXAMPLE.org ', 'ada@example.org'],
  ['ada+home@example.org', 'ada+home@example.org'],
  ['a/b?c#d%e@example.org', 'a/b?c#d%e@example.org'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['ada@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example'],
  ['ada@localhost', 'ada@localhost'],
  ['', undefined],
  ['ada', undefined],
  ['@example.org', undefined],
  ['ada@', undefined],
  ['victim@home.test@evil.test', undefined],
  ['victim@home.test@', undefined],
  ['victim@@home.test', undefined],
  ['victim@home.test/evil.test', undefined],
  ['victim@home.test?evil.test', undefined],
  ['victim@home.test#evil.test', undefined],
  ['victim@home.test\\evil.test', undefined],
  ['victim@home%2etest', undefined],
  ['victim@home.test／evil.test', undefined],
  ['victim@home.test＠evil.test', undefined],
  ['victim@ho\tme.test', undefined],
  ['victim@home.test, evil@evil.test', undefined],
  ['Victim <victim@home.test>', undefined],
  ['victim@home.test\r\nBcc: evil@evil.test', undefined],
  ['victim@home.test.', undefined],
  ['victim@home..test', undefined],
  ['victim@.home.test', undefined],
  ['victim@0x7f.1', undefined],
];

/** Characters that Unicode or IDNA calls the same as an ASCII character, or as nothing. */
const LOOK_ALIKES: readonly [name: string, inName: string, inDomain: string][] = [
  ['the Kelvin sign', '\u{212A}ate', '\u{212A}ent.test'],
  ['a long s', 'jame\u{017F}', 'hou\u{017F}e.test'],
  ['fullwidth letters', '\u{FF41}da', '\u{FF48}ome.test'],
  ['a mathematical letter', '\u{1D41A}da', '\u{1D421}ome.test'],
  ['a circled letter', '\u{24D0}da', '\u{24D7}ome.test'],
  ['a ligature', '\u{FB01}n', '\u{FB01}n.test'],
  ['a superscript', 'ada\u{00B2}', 'home\u{00B2}.test'],
  ['a capital I with a dot', '\u{0130}da', '\u{0130}da.test'],
  ['the same in two characters', 'I\u{0307}da', 'I\u{0307}da.test'],
  ['a fullwidth dot', 'a\u{FF0E}da', 'home\u{FF0E}test'],
  ['an ideographic dot', 'a\u{FF61}da', 'home\u{3002}test'],
  ['a variation selector', 'ada\u{FE0F}', 'ho\u{FE0F}me.test'],
  ['a combining joiner', 'a\u{034F}da', 'ho\u{034F}me.test'],
  ['a soft hyphen', 'a\u{00AD}da', 'ho\u{00AD}me.test'],
];

test('a look-alike of an ASCII letter never becomes that letter', () => {
  for (const [name, inName, inDomain] of LOOK_ALIKES) {
    const found = findNormalEmail(`${inName}@home.test`);
    assert.ok(found === undefined || /[^\x20-\x7e]/.test(found), `${name}: ${found}`);
    assert.equal(findNormalEmail(`ada@${inDomain}`), undefined, name);
  }
});

/** Ideographs, syllables of Hangul, and characters for private use: none has a form in ASCII, so a few stand for all. */
const isAlike = (point: number) =>
  [
    [0x3400, 0xa000],
    [0xac00, 0xf900],
    [0x12000, 0x14680],
    [0x17000, 0x18d00],
  ].some(([first = 0, end = 0]) => point >= first && point < end);

test('of the characters of both planes that people write in, none outside ASCII makes an address of ASCII alone', () => {
  for (let point = 0x80; point <= 0x1ffff; point += isAlike(point) ? sized(31, 1) : 1) {
    const character = String.fromCodePoint(point);
    for (const text of [`${character}@home.test`, `a${character}a@home.test`]) {
      const found = findNormalEmail(text);
      assert.ok(found === undefined || /\P{ASCII}/u.test(found), `U+${point.toString(16)}: ${found}`);
    }
    const domain = findNormalEmail(`a@a${character}a.test`)?.slice(2);
    assert.ok(domain === undefined || domain.startsWith('xn--'), `U+${point.toString(16)}: ${domain}`);
  }
});

test('letters that are not of ASCII stay what they are, in either case', () => {
  for (const [text, stored] of [
    ['Zoé@BÜCHER.example', 'zoé@xn--bcher-kva.example'],
    ['stra\u{00DF}e@stra\u{00DF}e.example', 'stra\u{00DF}e@xn--strae-oqa.example'],
    ['\u{0131}da@home.test', '\u{0131}da@home.test'],
    ['用户@例子.example', '用户@xn--fsqu00a.example'],
    ['a@xn--fsqu00a.bücher.example', 'a@xn--fsqu00a.xn--bcher-kva.example'],
  ] as const)
    assert.equal(findNormalEmail(text), stored);
});

for (const [text, stored] of TABLE) {
  test(`${JSON.stringify(text)} is ${stored === undefined ? 'no address' : `stored as ${stored}`}`, () => {
    assert.equal(findNormalEmail(text), stored);
    if (stored === undefined) assert.throws(() => normalizeEmail(text), InvalidInput);
    else assert.equal(normalizeEmail(text), stored);
  });
}
