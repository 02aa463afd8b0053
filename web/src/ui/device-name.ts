import { strings } from '../strings.ts';

const { names, systems, browserOn } = strings.passkeys;

/**
 * What people call the device, and its system beside a browser. The order matters: an Android browser names Linux too,
 * and an iPad calls itself a Mac.
 */
const SYSTEMS: readonly (readonly [pattern: RegExp, device: string, system?: string])[] = [
  [/iPhone/, names.iphone],
  [/iPad/, names.ipad],
  [/Android/, names.android, systems.android],
  [/Windows/, names.windows, systems.windows],
  [/Mac OS X/, names.mac],
  [/CrOS/, names.chromebook],
  [/Linux/, names.linux, systems.linux],
];

/** The order matters: each of the first three calls itself Chrome or Safari too, and Chrome calls itself Safari. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

/** What people call the device that this browser runs on. They can change it. */
export const suggestedName = (): string =>
  SYSTEMS.find(([pattern]) => pattern.test(navigator.userAgent))?.[1] ?? names.other;

/** This browser and the system that it runs on, as people know them: "Firefox on Windows". */
export function browserName(userAgent = navigator.userAgent): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [, device, system = device] = SYSTEMS.find(([pattern]) => pattern.test(userAgent)) ?? [];
  return browser && system ? browserOn(browser, system) : (browser ?? device ?? names.other);
}
