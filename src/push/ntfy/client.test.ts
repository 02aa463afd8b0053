import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { ChannelHttp } from '../channel-http.ts';
import { NtfyProvider } from './client.ts';

test('only a topic without a token on a server that the operator did not name is public, and one at ntfy.sh always', (t) => {
  const http = new ChannelHttp(['*', 'ntfy.lan:8090', 'ntfy.sh:443']);
  t.after(() => http.close());
  const clock = new FakeClock();
  const isPublic = (at: { server: string; token?: string }, named = 'https://ntfy.sh') =>
    new NtfyProvider(http, clock, named, undefined).isPublic({ topic: 'alerts', ...at });
  assert.equal(isPublic({ server: 'https://ntfy.sh' }), true);
  assert.equal(isPublic({ server: 'https://NTFY.sh./' }), true);
  assert.equal(isPublic({ server: 'https://ntfy.somebody.test' }), true);
  assert.equal(isPublic({ server: 'https://ntfy.sh', token: 'tk_own' }), false);
  assert.equal(isPublic({ server: 'https://ntfy.somebody.test', token: 'tk_own' }), false);
  assert.equal(isPublic({ server: 'http://ntfy.lan:8090' }), false, 'listed in CHANNEL_HOSTS');
  assert.equal(isPublic({ server: 'https://ntfy.home.test' }, 'https://ntfy.home.test'), false, 'NTFY_SERVER');
});
