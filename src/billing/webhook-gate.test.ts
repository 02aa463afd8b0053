import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { WebhookGate } from './webhook-gate.ts';

const SIGNING = 'the secret of the signature';
const BODY = Buffer.from('{"event":{}}');
const signatureAt = (seconds: number | string, secret = SIGNING, body = BODY) =>
  createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');

function start() {
  const clock = new FakeClock();
  const gate = new WebhookGate({ authorization: 'Bearer agreed', signing: SIGNING }, clock);
  const isTaken = (header: string | undefined, body = BODY): boolean => {
    try {
      gate.checkSignature(header, body);
      return true;
    } catch (error) {
      assert.equal((error as { code: string }).code, 'wrong_billing_signature');
      return false;
    }
  };
  return { isTaken, seconds: clock.now().getTime() / 1_000 };
}

test('a signature counts for five minutes before and after its time, to the second', () => {
  const { isTaken, seconds } = start();
  const signedAt = (at: number) => isTaken(`t=${at},v1=${signatureAt(at)}`);
  assert.deepEqual(
    [-301, -300, 0, 300, 301].map((later) => signedAt(seconds + later)),
    [false, true, true, true, false],
  );
});

test('while the secret is rotated any of the signatures may be ours, in either case', () => {
  const { isTaken, seconds } = start();
  const [own, other] = [signatureAt(seconds), signatureAt(seconds, 'the next secret')];
  assert.equal(isTaken(`t=${seconds}, v1=${other}, v1=${own.toUpperCase()}`), true);
  assert.equal(isTaken(`t=${seconds}, v1=${other}`), false);
});

test('a signature is of one time and one body, and none is no signature', () => {
  const { isTaken, seconds } = start();
  const own = signatureAt(seconds);
  assert.equal(isTaken(`t=${seconds},v1=${own}`, Buffer.from('{"event":{} }')), false);
  for (const header of [undefined, '', `t=${seconds}`, `v1=${own}`, `t=${seconds - 1},v1=${own}`])
    assert.equal(isTaken(header), false, String(header));
  for (const time of ['', 'now', '1e9', '-1', '9'.repeat(13)])
    assert.equal(isTaken(`t=${time},v1=${signatureAt(time)}`), false, time);
});

test('without a signing secret the Authorization value alone decides, whole and in its case', () => {
  const gate = new WebhookGate({ authorization: 'Bearer agreed', signing: undefined }, new FakeClock());
  assert.doesNotThrow(() => gate.checkSignature(undefined, BODY));
  assert.doesNotThrow(() => gate.checkAuthorization('Bearer agreed'));
  for (const given of [undefined, '', 'agreed', 'bearer agreed', 'Bearer agreed '])
    assert.throws(() => gate.checkAuthorization(given), { code: 'wrong_billing_secret' });
  const off = new WebhookGate({ authorization: undefined, signing: undefined }, new FakeClock());
  assert.throws(() => off.checkAuthorization(''), { code: 'billing_not_configured' });
});
