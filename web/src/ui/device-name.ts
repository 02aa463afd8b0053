import { strings } from '../strings.ts';

const { names } = strings.passkeys;

/** The order matters: an Android browser names Linux too, and an iPad calls itself a Mac. */
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, names.iphone],
  [/iPad/, names.ipad],
  [/Android/, names.android],
  [/Windows/, names.windows],
  [/Mac OS X/, names.mac],
  [/CrOS/, names.chromebook],
  [/Linux/, names.linux],
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

/** This browser and the device that it runs on, as people know them: "Firefox, Windows computer". */
export function browserName(userAgent = navigator.userAgent): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  return [browser, system].filter(Boolean).join(', ') || names.other;
}
