import assert from 'node:assert/strict';
import { testInPage } from '../../../test/support/fake-page.ts';
import { strings } from '../strings.ts';

const { names } = strings.passkeys;

for (const [name, userAgent] of [
  [names.iphone, 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148'],
  [names.ipad, 'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148'],
  [names.android, 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile'],
  [names.windows, 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0'],
  [names.mac, 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.5'],
  [names.chromebook, 'Mozilla/5.0 (X11; CrOS x86_64 16181.61.0) AppleWebKit/537.36 Chrome/140.0.0.0'],
  [names.linux, 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0'],
  [names.other, 'curl/8.15'],
] as const)
  testInPage(
    `a new passkey is called after its device: ${name}`,
    async () => {
      const { suggestedName } = await import('./device-name.ts');
      assert.equal(suggestedName(), name);
    },
    { navigator: { userAgent } },
  );
