import { AppError } from './errors.ts';

/** No form that is posted here has more. Strangers post forms, and 32,000 empty fields take 60 ms to read. */
const MOST_FIELDS = 100;

export function parseForm(text: string): URLSearchParams {
  if (text.split('&', MOST_FIELDS + 1).length > MOST_FIELDS) throw new AppError('payload_too_large');
  return new URLSearchParams(text);
}
