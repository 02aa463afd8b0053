import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { zipOf } from '../../../test/support/zip.ts';
import { InvalidInput } from '../../lib/errors.ts';
import { baseName, readZip } from './zip.ts';

const contentsOf = (bytes: Uint8Array) =>
  readZip(bytes).map((entry) => [entry.name, Buffer.from(entry.read()).toString()]);

test('the files of a zip are read back, packed or not', () => {
  const files = fc.array(
    fc.record({
      name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((name) => !name.endsWith('/')),
      bytes: fc.string({ unit: 'grapheme', maxLength: 200 }),
      method: fc.constantFrom(0, 8),
    }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(files, (written) => {
      assert.deepEqual(
        contentsOf(zipOf(...written)),
        written.map(({ name, bytes }) => [name, bytes]),
      );
    }),
  );
});

test('what other programs write beside the files is passed over, and a folder is no file', () => {
  const whole = zipOf(
    { name: 'Takeout/', bytes: '', method: 0, extra: 'times' },
    { name: 'Takeout/a.csv', bytes: 'one', extra: 'times', comment: 'of Ada' },
    { name: 'Takeout/b.csv', bytes: 'two', method: 0, comment: 'of Bob', extra: 'owners' },
  );
  const inBuffer = Buffer.concat([Buffer.from('before it'), whole, Buffer.from('a comment')]).subarray(
    'before it'.length,
  );
  assert.deepEqual(contentsOf(inBuffer), [
    ['Takeout/a.csv', 'one'],
    ['Takeout/b.csv', 'two'],
  ]);
  assert.deepEqual(['Takeout/Tasks/a.csv', 'Takeout\\a.csv', 'a.csv'].map(baseName), ['a.csv', 'a.csv', 'a.csv']);
});

test('a zip may have the longest comment and as many files as are read, and a long name is told by its beginning', () => {
  const one = zipOf({ name: 'a.csv', bytes: 'one' });
  assert.deepEqual(contentsOf(Buffer.concat([one, Buffer.alloc(65_535)])), [['a.csv', 'one']]);
  assert.throws(() => readZip(Buffer.concat([one, Buffer.alloc(65_536)])), InvalidInput);
  const files = Array.from({ length: 2_000 }, (_, index) => ({ name: `${index}`, bytes: '', method: 0 }));
  assert.equal(readZip(zipOf(...files)).length, 2_000);
  assert.throws(
    () => contentsOf(zipOf({ name: '😀'.repeat(81), bytes: 'x', method: 12 })),
    (error) => error instanceof InvalidInput && error.problems[0]?.msg.endsWith(` (${'😀'.repeat(80)})`) === true,
  );
});

test('a small text may shrink to next to nothing, and no reading goes on beyond 100 MB', () => {
  const small = zipOf({ name: 'small.csv', bytes: Buffer.alloc(64 * 1024) });
  assert.equal(readZip(small)[0]?.read().length, 64 * 1024);
  const [large] = readZip(zipOf({ name: 'large.csv', bytes: Buffer.alloc(2 ** 20), method: 0 }));
  for (let times = 0; times < 100; times += 1) large?.read();
  assert.throws(() => large?.read());
});

test('a zip with any byte changed is read or refused with a sentence', () => {
  const whole = zipOf({ name: 'a.csv', bytes: 'TYPE,CONTENT\n'.repeat(20) }, { name: 'b.csv', bytes: 'x', method: 0 });
  const cut = fc.oneof(fc.constant(whole.length), fc.nat(whole.length));
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), cut, (at, value, length) => {
      const changed = Buffer.from(whole);
      changed[at] = value;
      try {
        contentsOf(changed.subarray(0, length));
      } catch (error) {
        assert.ok(error instanceof InvalidInput, String(error));
        assert.equal(error.problems[0]?.type, 'file_invalid');
      }
    }),
  );
});

test('a zip that grows too much, lies about its size, is encrypted or has too many entries is refused', () => {
  const zeros = Buffer.alloc(20 * 1024 * 1024);
  for (const [bytes, said] of [
    [zipOf({ name: 'bomb.csv', bytes: zeros }), 'A file in the zip grows too much when it is unpacked (bomb.csv)'],
    [zipOf({ name: 'lie.csv', bytes: zeros, claimedSize: 10 }), 'A file in the zip is damaged (lie.csv)'],
    [
      zipOf({ name: 'big.csv', bytes: 'x', claimedSize: 2 ** 31 }),
      'The files in the zip have more than 100 MB (big.csv)',
    ],
    [
      zipOf({ name: 'secret.csv', bytes: 'x', isEncrypted: true }),
      'A file in the zip is encrypted. Unpack it, and send what is in it (secret.csv)',
    ],
    [zipOf({ name: 'odd.csv', bytes: 'x', method: 12 }), 'A file in the zip is packed in an unusual way (odd.csv)'],
    [
      zipOf({ name: 'short.csv', bytes: 'x', method: 0, claimedPacked: 1_000 }),
      'A file in the zip is cut off (short.csv)',
    ],
    [
      zipOf({ name: 'huge.csv', bytes: 'x', claimedSize: 2 ** 32 - 1 }),
      'A file in the zip is larger than can be read (huge.csv)',
    ],
    [
      zipOf({ name: 'two\nlines.csv', bytes: 'x', method: 12 }),
      'A file in the zip is packed in an unusual way (twolines.csv)',
    ],
    [
      zipOf(...Array.from({ length: 2_001 }, (_, index) => ({ name: `${index}`, bytes: '', method: 0 }))),
      'The zip file has more than 2000 entries',
    ],
    [Buffer.from('PK\x03\x04 and no more'), 'The zip file is cut off or damaged: it has no list of its files'],
  ] as const) {
    assert.throws(
      () => contentsOf(bytes),
      (error) => error instanceof InvalidInput && error.problems[0]?.msg === said,
      said,
    );
  }
});
