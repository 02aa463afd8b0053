/** Finds the Chromium for the browser tests: CHROME_PATH, an installed one, or the one from npm on Linux x64. */
import { existsSync } from 'node:fs';

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
  const found = process.env.CHROME_PATH ?? INSTALLED.find((path) => existsSync(path));
  if (found) return found;
  // On any other platform the binary of the package would not start, and the tests would wait for it.
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  // The package unpacks the libraries that a bare machine lacks only where it believes to run on AWS Lambda.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs22.x';
  const { default: packed } = await import('@sparticuz/chromium');
  return packed.executablePath();
}
