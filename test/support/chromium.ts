/**
 * Finds the Chromium for the browser tests: CHROME_PATH, the one from npm on Linux x64, or an installed one. The one from
 * npm comes before an installed one because its version is pinned: an update of the machine breaks no test.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The headless shell comes first, since it needs half the CPU time of a whole Chromium. */
const INSTALLED = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

export const MISSING_CHROMIUM = `The browser tests need a Chromium, and npm has none for ${process.platform} ${process.arch}: run "apt-get install chromium-headless-shell", or set CHROME_PATH.`;

/** Called once per run, before any test: two test files must not unpack the npm package at the same time. */
export async function findChromium(): Promise<string | undefined> {
  if (process.env.CHROME_PATH) return process.env.CHROME_PATH;
  // On any other platform the binary of the package would not start, and the tests would wait for it.
  const isPacked = process.platform === 'linux' && process.arch === 'x64';
  return isPacked ? unpackChromium() : INSTALLED.find((path) => existsSync(path));
}

async function unpackChromium(): Promise<string> {
  // The package unpacks the libraries that a bare machine lacks only where it believes to run on AWS Lambda.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs22.x';
  const { default: packed } = await import('@sparticuz/chromium');
  const path = await packed.executablePath();
  // Its fonts are looked for in /tmp, wherever they were unpacked. Without a font no text is visible.
  const fonts = join(dirname(path), 'fonts/fonts.conf');
  writeFileSync(fonts, readFileSync(fonts, 'utf8').replaceAll('>/tmp/', `>${dirname(path)}/`));
  return path;
}
