import assert from 'node:assert/strict';
import { test } from 'node:test';
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
];

for (const [text, stored] of TABLE) {
  test(`${JSON.stringify(text)} is ${stored === undefined ? 'no address' : `stored as ${stored}`}`, () => {
    assert.equal(findNormalEmail(text), stored);
    if (stored === undefined) assert.throws(() => normalizeEmail(text), InvalidInput);
    else assert.equal(normalizeEmail(text), stored);
  });
}
