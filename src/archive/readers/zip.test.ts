import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { zipOf } from '../../../test/support/zip.ts';
import { InvalidInput } from '../../lib/errors.ts';
import { readZip } from './zip.ts';

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
