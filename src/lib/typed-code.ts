/** Codes that people type: in an alphabet that is hard to misread, in groups, accepted in any case and spacing. */

/** Crockford's Base32, which leaves out letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** One character of five bits for each byte. */
export function formatTypedCode(bytes: Uint8Array, groupLength: number): string {
  const characters = [...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return characters.replaceAll(new RegExp(`(.{${groupLength}})(?=.)`, 'g'), '$1-');
}

/** Case, hyphens and spaces do not matter; O is read as 0, I and L as 1. */
export const normalizeTypedCode = (code: string): string =>
  code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
