import { domainToASCII } from 'node:url';
import { InvalidInput } from './errors.ts';

/** Accepts what mail servers accept, except characters that could end or split a mail header. */
const SHAPE = /^[^\s@<>()[\]\\,:;"\p{C}]{1,64}@[^\s@<>()[\]\\,:;"\p{C}]{1,255}$/u;

export const isEmailAddress = (text: string): boolean => SHAPE.test(text);

/** The form in which addresses are stored and compared, so that one address never gets two accounts. */
export function normalizeEmail(text: string): string {
  const [local = '', domain = ''] = text.trim().normalize('NFC').toLowerCase().split('@');
  const host = domainToASCII(domain);
  if (local === '' || host === '') {
    throw new InvalidInput({ type: 'value_error', loc: ['body', 'email'], msg: 'Input should be a valid email' });
  }
  return `${local}@${host}`;
}
