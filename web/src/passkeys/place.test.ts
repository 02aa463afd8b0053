import assert from 'node:assert/strict';
import { testInPage } from '../../../test/support/fake-page.ts';
import { readHook } from '../data/read-hook.ts';

const ORIGIN = 'https://crescendo.test';

for (const [name, more, origin, place] of [
  ['at the address of the service', { PublicKeyCredential: {} }, ORIGIN, 'here'],
  ['at another address', { PublicKeyCredential: {} }, 'https://home.test', { elsewhere: 'https://home.test' }],
  ['in a browser that has none', {}, ORIGIN, 'unsupported'],
  ['at an address for which there are none', { PublicKeyCredential: {} }, null, 'impossible'],
] as const)
  testInPage(
    `whether a passkey works is said before it is tried: ${name}`,
    async () => {
      const { usePasskeyPlace, whyNotHere } = await import('./place.ts');
      const { queryClient } = await import('../data/query-client.ts');
      queryClient.clear();
      assert.equal(readHook(usePasskeyPlace, queryClient), undefined);
      queryClient.setQueryData(['sign-in-options'], { passkey_origin: origin });
      const found = readHook(usePasskeyPlace, queryClient) ?? assert.fail();
      assert.deepEqual(found, place);
      if (found !== 'here' && typeof found === 'object') assert.match(whyNotHere(found), /home\.test/);
      queryClient.clear();
    },
    more,
  );
