/** Which Chromium the tests use: as told, as installed, or as it comes with npm, so that a fresh machine needs nothing. */
import { existsSync } from 'node:fs';

const SYSTEM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** Called once per run, before any test: what two test files unpacked at the same moment would be of use to neither. */
export async function findChromium(): Promise<string> {
  const found = process.env.CHROME_PATH ?? SYSTEM.find((path) => existsSync(path));
  if (found) return found;
  // The package also brings the libraries that a bare machine lacks, and unpacks them where it believes to be at home.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs22.x';
  const { default: packed } = await import('@sparticuz/chromium');
  return packed.executablePath();
}
