import { strings } from '../strings.ts';

const { names } = strings.passkeys;

/** The order matters: an Android browser names Linux too, and an iPad calls itself a Mac. */
const DEVICES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/iPhone/, names.iphone],
  [/iPad/, names.ipad],
  [/Android/, names.android],
  [/Windows/, names.windows],
  [/Mac OS X/, names.mac],
  [/CrOS/, names.chromebook],
  [/Linux/, names.linux],
];

/** What people call the device that this browser runs on. They can change it. */
export const suggestedName = (): string =>
  DEVICES.find(([pattern]) => pattern.test(navigator.userAgent))?.[1] ?? names.other;
