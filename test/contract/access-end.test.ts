/** Ending what outlives a session, when several of one kind are chosen. */
import assert from 'node:assert/strict';
import { onEveryEngineWith } from '../support/engines.ts';
import { startWithAda } from '../support/people.ts';

onEveryEngineWith(startWithAda, (it) => {
  it('everything that is chosen ends, also several of one kind', async ({ ada }) => {
    for (const number of [1, 2, 3])
      for (const [path, body] of [
        ['/v1/channels', { provider: 'webhook', fields: { url: `https://hook.example/${number}` } }],
        ['/v1/tokens', { name: `Script ${number}`, scopes: ['tasks:read'] }],
        ['/v1/devices', { ios_push_token: `a${number}`.repeat(32) }],
      ] as const)
        assert.equal((await ada.ask('POST', path, body)).status, 200, path);
    const listed = async (): Promise<{ id: string; kind: string; current: boolean }[]> =>
      (await ada.ask('GET', '/v1/me/access')).body.data;
    const all = (await listed()).filter(({ current }) => !current);
    assert.equal(all.length, 9);
    const [kept, ...chosen] = all;
    const ids = chosen.map(({ id }) => id);
    assert.deepEqual((await ada.ask('POST', '/v1/me/access/end', { sessions: false, ids })).body.data, { ended: 8 });
    assert.deepEqual(
      (await listed()).filter(({ current }) => !current).map(({ id }) => id),
      [kept?.id],
    );
  });
});
