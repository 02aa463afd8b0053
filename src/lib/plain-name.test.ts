import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainName } from './plain-name.ts';

test('a name in a mail is no link, no header and no message, and has forty characters at most', () => {
  assert.equal(plainName('Zoë 🎺 O’Neil-García & Söhne (Köln)!'), 'Zoë 🎺 O’Neil-García & Söhne (Köln)!');
  assert.equal(plainName('see https://evil.test/x now\r\nBcc: all'), 'see https evil test x now Bcc all');
  assert.equal(plainName(' <b>\u202e '), 'b');
  assert.equal(plainName('…'), '');
  assert.equal(plainName('🎺'.repeat(40)), '🎺'.repeat(40));
  assert.equal(plainName('🎺'.repeat(41)), `${'🎺'.repeat(39)}…`);
  assert.equal(plainName(`${'x'.repeat(38)} ${'y'.repeat(9)}`), `${'x'.repeat(38)}…`);
});
