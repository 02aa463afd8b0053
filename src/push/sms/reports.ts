/** Reads what the SMS service reports: what became of a message, and replies. Pure. */
import { createHmac } from 'node:crypto';
import { isEqualSecret } from '../../lib/secrets.ts';
import type { ChannelEvent } from '../channel-provider.ts';

/** Twilio's own list of words that end messages. */
const STOP = /^\s*(stop|stopall|unsubscribe|cancel|end|quit|revoke|optout)\s*$/i;
const STOPPED = '21610';
/** SHA-1 in base64. */
const SIGNATURE = /^[\w+/]{27}=$/;

/**
 * Twilio signs the URL as it was configured, so ours is built from BASE_URL: behind a proxy, the URL of the request can
 * differ.
 */
export function isSigned(authToken: string, url: string, form: URLSearchParams, signature: string): boolean {
  if (!SIGNATURE.test(signature)) return false;
  // Not `getAll` per name: it looks through the whole form each time.
  const values = Map.groupBy(form, ([name]) => name);
  const signed = [...values.keys()].sort().map(
    (name) =>
      name +
      values
        .get(name)
        ?.map(([, value]) => value)
        .join(''),
  );
  return isEqualSecret(
    signature,
    createHmac('sha1', authToken)
      .update(url + signed.join(''))
      .digest('base64'),
  );
}

export function toEvents(form: URLSearchParams): ChannelEvent[] {
  const field = (name: string) => form.get(name) ?? '';
  const ref = field('MessageSid');
  const status = field('MessageStatus');
  const code = field('ErrorCode');
  if (status === 'delivered') return [{ kind: 'confirmed', ref }];
  if (status === 'undelivered' || status === 'failed') {
    const undelivered = {
      kind: 'undelivered',
      ref,
      reason: /^\d{5}$/.test(code) ? `sms_${code}` : 'sms_failed',
    } as const;
    return code === STOPPED ? [undelivered, stopped(field('To'))] : [undelivered];
  }
  const isStop = status === '' && (field('OptOutType') === 'STOP' || STOP.test(field('Body')));
  return isStop ? [stopped(field('From'))] : [];
}

const stopped = (identity: string): ChannelEvent => ({ kind: 'gone', identity, reason: 'stopped' });
