/** Calling codes of countries, as the operator writes them: +49. Pure. */

/** By ITU E.164 these have one or two digits; all others have three. */
const SHORT = /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

export const countryOf = (number: string): string => SHORT.exec(number)?.[0] ?? number.slice(0, 4);

/** A service that sends from a number sends to its own country, unless its operator named others. */
export function countriesOf(named: readonly string[] | undefined, from: string): readonly string[] {
  return named ?? (from.startsWith('+') ? [countryOf(from)] : []);
}
