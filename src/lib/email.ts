import { domainToASCII } from 'node:url';
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

/** The same; undefined if the text is not exactly one valid address. */
export function findNormalEmail(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  const address = text.trim().normalize('NFC').toLowerCase();
  if (!isEmailAddress(address)) return undefined;
  const [local = '', domain = ''] = address.split('@');
  const host = domainToASCII(domain);
  return host === '' ? undefined : `${local}@${host}`;
}

/**
 * The mailbox that an address in normal form is delivered to, for limits: many servers ignore what follows a plus.
 * Never for finding an account, because on other servers the two addresses belong to different people.
 */
export const mailboxOf = (email: string): string => email.replace(/^([^@+]+)\+[^@]*@/, '$1@');
