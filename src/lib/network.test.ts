import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopbackAddress, networkOf } from './network.ts';

test('every address of a household is one network, in every spelling, and the next household is another', () => {
  const household = ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::', '2001:0db8:0001:0002:0:0:0:9', '2001:db8:1:2::1%eth0'];
  assert.deepEqual(new Set(household.map(networkOf)), new Set(['2001:db8:1:2']));
  assert.notEqual(networkOf('2001:db8:1:3::1'), '2001:db8:1:2');
  assert.equal(networkOf('::1'), networkOf('0:0:0:0:5::'));
  assert.equal(networkOf('::ffff:203.0.113.7'), networkOf('203.0.113.7'));
  assert.notEqual(networkOf('203.0.113.7'), networkOf('203.0.113.8'));
});

test('only addresses of this machine are its own', () => {
  for (const own of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) assert.ok(isLoopbackAddress(own), own);
  for (const other of ['10.0.0.1', '1127.0.0.1', '::2', '127.0.0.1.example.org']) assert.ok(!isLoopbackAddress(other));
});
