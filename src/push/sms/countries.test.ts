import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countriesOf, countryOf } from './countries.ts';

test('the country of a number is its calling code', () => {
  const numbers = { '+1': '+14155550123', '+7': '+79161234567', '+44': '+447700900123', '+353': '+353851234567' };
  for (const [country, number] of Object.entries(numbers)) assert.equal(countryOf(number), country);
});

test('without SMS_COUNTRIES the country of the sender counts, and none if the sender is a name', () => {
  assert.deepEqual(countriesOf(['+49', '+43'], '+447700900123'), ['+49', '+43']);
  assert.deepEqual(countriesOf(undefined, '+447700900123'), ['+44']);
  assert.deepEqual(countriesOf(undefined, 'Crescendo'), []);
});
