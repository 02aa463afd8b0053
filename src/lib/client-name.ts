/**
 * What people call a browser or phone, from its User-Agent header: "Firefox on Windows", "iPhone". The result consists of
 * the words listed here and nothing of the header itself, which its sender chooses freely.
 */
import { words } from './words.ts';

/** The order matters: an Android browser names Linux too, and an iPhone calls itself a Mac. */
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'Mac'],
  [/CrOS/, 'Chromebook'],
  [/Linux/, 'Linux'],
];

/** The order matters: each of the first three calls itself Chrome or Safari too, and Chrome calls itself Safari. */
const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

/** Null if neither the browser nor the system is known. */
export function clientName(userAgent: string | undefined): string | null {
  const known = (list: typeof SYSTEMS) => list.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const browser = known(BROWSERS);
  const system = known(SYSTEMS);
  return browser && system ? words.browserOn(browser, system) : (browser ?? system ?? null);
}
