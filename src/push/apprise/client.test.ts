import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { ChannelHttp } from '../channel-http.ts';
import { AddressProblem } from '../channel-provider.ts';
import { AppriseProvider } from './client.ts';

const apprise = new AppriseProvider({ findProblem: () => undefined } as unknown as ChannelHttp, new FakeClock());
const address = { url: 'https://apprise.test/api', key: 'ada', tag: 'phone' };

test('one server has one address for each key and tag, however it is written', () => {
  const spelled = apprise.readAddress({ ...address, url: 'https://APPRISE.test:443/api//' });
  assert.deepEqual(spelled, address);
  assert.equal(apprise.identify({ ...address, url: 'https://APPRISE.test/api/' }), apprise.identify(address));
  const others = [{ url: 'https://apprise.test' }, { key: 'bob' }, { tag: 'watch' }];
  const identities = [{}, ...others].map((other) => apprise.identify({ ...address, ...other }));
  assert.equal(new Set(identities).size, 4);
});

test('an address ends with the path of its server, and what is left out keeps what it had', () => {
  for (const end of ['?to=x', '#x', '/?to=x']) {
    const read = apprise.readAddress({ ...address, url: address.url + end });
    assert.ok(read instanceof AddressProblem && read.field === 'url', end);
  }
  for (const [field, wrong] of [
    ['key', 'a/../b'],
    ['key', ''],
    ['tag', 'a,b'],
    ['tag', ''],
  ] as const) {
    const read = apprise.readAddress({ ...address, [field]: wrong });
    assert.ok(read instanceof AddressProblem && read.field === field, `${field} ${wrong}`);
  }
  assert.deepEqual(apprise.readAddress({ tag: 'watch' }, address), { ...address, tag: 'watch' });
});
