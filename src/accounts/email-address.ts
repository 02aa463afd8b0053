/** One person, one account: however an address is written, it is stored and compared in one form. */
import { domainToASCII } from 'node:url';
import { InvalidInput } from '../lib/errors.ts';

export function normalEmail(written: string): string {
  const [local = '', domain = ''] = written.trim().normalize('NFC').toLowerCase().split('@');
  const host = domainToASCII(domain);
  if (local === '' || host === '') {
    throw new InvalidInput({ type: 'value_error', loc: ['body', 'email'], msg: 'Input should be a valid email' });
  }
  return `${local}@${host}`;
}
