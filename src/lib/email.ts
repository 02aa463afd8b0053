import { domainToASCII, domainToUnicode } from 'node:url';
import { InvalidInput } from './errors.ts';

/**
 * Accepts what mail servers accept, except characters that could end or split a mail header, and in the domain
 * those that `domainToASCII` reads as the parts of a URL: it would cut `home.test/evil.test` to `home.test`.
 */
const SHAPE = /^[^\s@<>()[\]\\,:;"\p{C}]{1,64}@[^\s@<>()[\]\\,:;"/?#%\p{C}]{1,255}$/u;

/** Far longer than `SHAPE` allows. Composing the marks of a letter takes the square of their number. */
const LONGEST = 1_000;

export const isEmailAddress = (text: string): boolean => SHAPE.test(text);

/** The form in which addresses are stored and compared, so that one address never gets two accounts. */
export function normalizeEmail(text: string): string {
  const email = findNormalEmail(text);
  if (email !== undefined) return email;
  throw new InvalidInput({ type: 'value_error', loc: ['body', 'email'], msg: 'Input should be a valid email' });
}

/**
 * The same; undefined if the text is not exactly one valid address. A character outside ASCII never becomes one of ASCII:
 * the Kelvin sign has the lower case `k`, and who owns an address with it may be nobody whom the owner of `k` knows.
 */
export function findNormalEmail(text: string): string | undefined {
  if (text.length > LONGEST || hasLookAlike(text)) return undefined;
  const address = text.trim().normalize('NFC');
  const lower = address.toLowerCase();
  if (hasLookAlike(address) || !isEmailAddress(lower)) return undefined;
  const [local = '', domain = ''] = lower.split('@');
  const host = domainToASCII(domain);
  return isSpellingOf(host, domain) ? `${local}@${host}` : undefined;
}

/** Whether composing the text, its lower case or its plain form would turn a character into one of ASCII. */
const hasLookAlike = (text: string): boolean =>
  (text.match(/[^\p{ASCII}\s]/gu) ?? []).some((character) =>
    /\p{ASCII}/u.test(character.normalize('NFKC').toLowerCase()),
  );

/**
 * `domainToASCII` maps more than people write: it drops characters that nobody sees, takes other dots for dots, and reads
 * numbers as an IPv4 address. Each label must be that of the host, or what the host's label looks like.
 */
function isSpellingOf(host: string, domain: string): boolean {
  const written = domain.split('.');
  const labels = host.split('.');
  return (
    written.length === labels.length &&
    labels.every((label, index) => label !== '' && [label, domainToUnicode(label)].includes(written[index] ?? ''))
  );
}
