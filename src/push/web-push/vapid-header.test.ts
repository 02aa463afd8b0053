import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { makeVapidKeys } from '../../keys/vapid-keys.ts';
import { VapidHeaders } from './vapid-header.ts';

/** The end of the token in the header. */
const endOf = (header: string): number =>
  JSON.parse(Buffer.from(/t=[^.]+\.([^.]+)/.exec(header)?.[1] ?? '', 'base64url').toString()).exp * 1_000;

test('a token is used again for its origin, and always ends an hour or more after it is sent', async () => {
  const clock = new FakeClock();
  const headers = new VapidHeaders(makeVapidKeys(), 'mailto:ada@example.org', clock);
  const first = await headers.headerFor('https://push.example');
  assert.equal(await headers.headerFor('https://push.example'), first);
  assert.notEqual(await headers.headerFor('https://other.example'), first);
  for (let hour = 0; hour < 30; hour += 1) {
    await clock.advance('59m');
    const leftMs = endOf(await headers.headerFor('https://push.example')) - clock.now().getTime();
    assert.ok(leftMs >= 3_600_000 && leftMs <= 24 * 3_600_000, String(leftMs));
  }
});

test('of the origins that somebody invents a thousand are remembered, the newest', async () => {
  const headers = new VapidHeaders(makeVapidKeys(), 'mailto:ada@example.org', new FakeClock());
  const sign = (number: number) => headers.headerFor(`https://${number}.push.example`);
  const [first, second] = [await sign(0), await sign(1)];
  for (let number = 2; number <= 1_000; number += 1) await sign(number);
  assert.equal(await sign(1), second);
  assert.notEqual(await sign(0), first);
});
