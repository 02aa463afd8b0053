import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientName } from './client-name.ts';

const SAFARI = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0';

const CASES: readonly (readonly [userAgent: string | undefined, name: string | null])[] = [
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/140.0.0.0`, 'Edge on Windows'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${CHROME} Safari/537.36 OPR/120.0.0.0`, 'Opera on Linux'],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${CHROME} SamsungBrowser/28.0 Mobile Safari/537.36`,
    'Samsung Internet on Android',
  ],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`, 'Chrome on Android'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`, 'Chrome on Chromebook'],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${SAFARI} Version/18.5 Mobile/15E148 Safari/604.1`,
    'Safari on iPhone',
  ],
  [`Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) ${SAFARI} Version/18.5 Mobile/15E148 Safari/604.1`, 'Safari on iPad'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${SAFARI} Version/18.5 Safari/605.1.15`, 'Safari on Mac'],
  ['Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/AP1A)', 'Android'],
  ['Reminders/5 (iPhone; iOS 18.5)', 'iPhone'],
  ['curl/8.0', null],
  ['', null],
  [undefined, null],
];

test('a client is named as people know it', () => {
  for (const [userAgent, name] of CASES) assert.equal(clientName(userAgent), name);
});

test('nothing of the header itself is in the name', () => {
  const hostile = '<img src=x> Firefox/<script> Windows "; drop table sessions';
  assert.equal(clientName(hostile), 'Firefox on Windows');
});
