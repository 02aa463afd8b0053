import assert from 'node:assert/strict';
import { onEveryEngineWith } from '../support/engines.ts';
import { startWithAda } from '../support/people.ts';

onEveryEngineWith(startWithAda, (it) => {
  it('the end of an access token is read in the zone of its owner, and the token is refused from that moment on', async ({
    app,
    ada,
  }) => {
    await ada.ask('PATCH', '/v1/me', { timezone: 'America/New_York' });
    const ending = (await ada.ask('POST', '/v1/tokens', { expires_at: '2026-03-02T05:00:00' })).body.data;
    assert.equal(ending.expires_at, '2026-03-02T10:00:00.000Z');
    assert.equal((await ada.ask('POST', '/v1/tokens', { expires_at: '2026-03-02T03:59:00' })).status, 422);
    await app.clock.advance('1m');
    const lasting = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    const use = async ({ token }: { token: string }) => (await ada.ask('GET', '/v1/me', undefined, token)).status;
    await app.clock.advance('58m');
    assert.deepEqual([await use(ending), await use(lasting)], [200, 200]);
    await app.clock.advance('1m');
    assert.deepEqual([await use(ending), await use(lasting)], [401, 200]);
    const listed = (await ada.ask('GET', '/v1/tokens')).body.data;
    assert.deepEqual(
      listed.map(({ id }: { id: string }) => id),
      [lasting.id, ending.id],
      'the newest first, and one that has ended until it is revoked',
    );
  });
});
