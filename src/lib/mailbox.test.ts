import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTagged, mailboxOf } from './mailbox.ts';

/** Addresses of a row reach one mailbox. Addresses of different rows do not, or nobody knows whether they do. */
const MAILBOXES: readonly (readonly string[])[] = [
  ['ada@example.org', 'Ada@EXAMPLE.org', 'ada+home@example.org', 'ada+a+b@example.org', 'ada@example.org.'],
  ['a.da@example.org', 'a.da+x@example.org'],
  ['a-da@example.org'],
  ['+ada@example.org'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example', 'ADA+x@BÜCHER.example'],
  [
    'johndoe@gmail.com',
    'john.doe@gmail.com',
    'J.o.h.n.D.o.e+x@GMAIL.com',
    'john.doe@googlemail.com',
    'johndoe@gmail.com..',
  ],
  ['john-doe@gmail.com'],
  ['john.doe@gmail.com.evil.test'],
  ['johndoe@proton.me', 'john.doe@protonmail.com', 'john_doe+x@pm.me', 'john-doe@protonmail.ch'],
  ['ada@icloud.com', 'ada@me.com', 'ada+x@mac.com'],
  ['a.da@icloud.com'],
  ['ada@outlook.com', 'ada+x@outlook.com'],
  ['a.da@outlook.com'],
  ['ada@hotmail.com'],
  ['ada@yahoo.com', 'ada-shops@yahoo.com', 'ada-a-b@yahoo.com'],
  ['ada@yahoo.co.uk', 'ada-shops@yahoo.co.uk'],
  ['a.da@yahoo.com'],
  ['ada-shops@yahoo.com.evil.test'],
  ['ada@fastmail.com', 'ada+x@fastmail.com', 'shops@ada.fastmail.com', 'a.b@ada.fastmail.com'],
  ['ada@fastmail.fm'],
  ['a.da@yandex.ru', 'a-da@ya.ru', 'a.da+x@yandex.com'],
  ['ada@yandex.ru'],
  ['...@gmail.com'],
  ['+49 170 1234567'],
  ['https://ntfy.example/Topic'],
];

test('all spellings of a mailbox have one key, and different mailboxes have different ones', () => {
  const keys = MAILBOXES.map((spellings) => {
    const found = new Set(spellings.map(mailboxOf));
    assert.equal(found.size, 1, `${spellings.join(', ')} → ${[...found].join(', ')}`);
    return [...found][0];
  });
  assert.equal(new Set(keys).size, MAILBOXES.length, keys.join(', '));
});

test('an address with a tag is told from one that its owner may have been given', () => {
  const tagged = ['ada+x@example.org', 'a.da+x@gmail.com', 'ada-shops@yahoo.com', 'shops@ada.fastmail.com'];
  const plain = ['ada@example.org', '+ada@example.org', 'john.doe@gmail.com', 'a-b@example.org', 'ada@fastmail.com'];
  assert.deepEqual([tagged.filter(isTagged), plain.filter(isTagged)], [tagged, []]);
});
