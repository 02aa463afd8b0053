/** Where a sign-in leads: back from the provider, on to an invitation. */
import assert from 'node:assert/strict';
import { page, testInPage } from '../../../test/support/fake-page.ts';
import { inviteIn } from './sign-in-options.ts';

const UNDER_WAY = 'crescendo-provider-sign-in';

let opened = 0;

/** A page that was opened at this address. */
async function openAt(pathname: string, parts: { search?: string; hash?: string } = {}) {
  const { search = '', hash = '' } = parts;
  const replaced: string[] = [];
  const left: string[] = [];
  Object.assign(globalThis, {
    location: { pathname, search, hash, assign: (url: string) => void left.push(url) },
    history: { replaceState: (_: unknown, __: string, path: string) => void replaced.push(path) },
  });
  opened += 1;
  const place: typeof import('../data/provider-return.ts') = await import(
    `../data/provider-return.ts?opened=${opened}`
  );
  return { ...place, replaced, left };
}

const HISTORY = { history: {} };

testInPage(
  'the answer of the provider is taken once, out of the address, for the sign-in of this tab',
  async () => {
    const before = await openAt('/app/sign-in');
    assert.deepEqual([before.cameFromProvider, before.takeProviderReturn()], [false, undefined]);
    before.leaveForSignIn('https://idp.test/in', { ticket: 'sealed', next: '/invites/abc' });
    assert.deepEqual(before.left, ['https://idp.test/in']);
    for (const [parts, answer] of [
      [{ search: '?code=1&state=2' }, 'code=1&state=2'],
      [{ hash: '#id_token=1&state=2', search: '?x=1' }, 'id_token=1&state=2'],
      [{ search: '?error=access_denied' }, 'error=access_denied'],
    ] as const) {
      page.sessionStorage.setItem(UNDER_WAY, '{"ticket":"sealed"}');
      const back = await openAt('/app/sign-in', parts);
      assert.deepEqual(back.takeProviderReturn(), { answer, signIn: { ticket: 'sealed' } });
      assert.equal(back.takeProviderReturn(), undefined);
      assert.deepEqual([back.cameFromProvider, back.replaced], [true, ['/app/sign-in']]);
      assert.equal(page.sessionStorage.getItem(UNDER_WAY), null, 'a ticket is of use once');
    }
    const planted = await openAt('/app/sign-in', { search: '?code=of-somebody-else' });
    assert.deepEqual(planted.takeProviderReturn(), { answer: 'code=of-somebody-else', signIn: undefined });
  },
  HISTORY,
);

testInPage(
  'after a sign-out at the provider the screen does not lead there again by itself, for this once; other pages take nothing',
  async () => {
    const { leaveForSignOut } = await openAt('/app');
    leaveForSignOut('https://idp.test/out');
    assert.equal((await openAt('/app/sign-in')).cameFromProvider, true);
    assert.equal((await openAt('/app/sign-in')).cameFromProvider, false);
    for (const parts of [{ search: '?discount_code=1' }, {}])
      assert.equal((await openAt('/app/sign-in', parts)).takeProviderReturn(), undefined);
    const other = await openAt('/app/tasks', { search: '?code=1' });
    assert.deepEqual([other.takeProviderReturn(), other.replaced], [undefined, []]);
  },
  HISTORY,
);

testInPage('only the address of an invitation has its token', async () => {
  assert.equal(inviteIn('/invites/Ab_c-1'), 'Ab_c-1');
  for (const next of [
    undefined,
    '/',
    '/invites/',
    '/invites/a/b',
    'https://evil.test/invites/a',
    `/invites/${'a'.repeat(129)}`,
  ])
    assert.equal(inviteIn(next), undefined);
});
