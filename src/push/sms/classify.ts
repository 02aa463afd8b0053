/** What the answer of an SMS service means, by Twilio's error codes. Pure. */

import type { Answer } from '../../outbound/http-sender.ts';
import { classifyAnswer, fieldsOf } from '../channel-answer.ts';
import type { PushResult } from '../gateway.ts';

/** The number does not exist, cannot get text messages, or its owner has replied STOP. */
const GONE: Readonly<Record<number, string>> = { 21211: 'no_such_number', 21614: 'no_such_number', 21610: 'stopped' };
/** The credentials are wrong, or the sender is not ours. */
const MISCONFIGURED = [20003, 21606];
/**
 * The operator has not enabled the country, or a trial account has not verified the number. That concerns this number
 * alone, so it must not stop the messages of the others.
 */
const NUMBER_REFUSED = [21408, 21608];

/** The sender is no messaging service. Nudges can be sent all the same. */
const CANNOT_HOLD = 35118;
/** `SendAt` is too soon or too far. */
const OUT_OF_RANGE = [35114, 35115];
/** The message was sent, or cancelled before. */
const NOT_CANCELABLE = 30409;

export function classify(answer: Answer, now: Date): PushResult {
  const { status } = answer;
  const { sid, code = 0 } = fieldsOf<{ sid: string; code: number }>(answer.body);
  const gone = GONE[code];
  if (status < 300) return classifyAnswer(answer, now, sid);
  if (gone !== undefined) return { kind: 'gone', reason: gone };
  if (code === CANNOT_HOLD) return { kind: 'rejected', reason: 'cannot_hold' };
  if (OUT_OF_RANGE.includes(code)) return { kind: 'rejected', reason: 'moment_refused' };
  if (NUMBER_REFUSED.includes(code)) return { kind: 'rejected', reason: 'number_not_enabled' };
  if (status === 401 || MISCONFIGURED.includes(code)) return { kind: 'misconfigured', reason: `http_${status}` };
  return status === 403 ? { kind: 'rejected', reason: 'http_403' } : classifyAnswer(answer, now);
}

const codeOf = ({ body }: Answer): number => fieldsOf<{ code: number }>(body).code ?? 0;

export const isOutOfRange = (answer: Answer): boolean => OUT_OF_RANGE.includes(codeOf(answer));

export const isTooLateToCancel = (answer: Answer): boolean => answer.status >= 300 && codeOf(answer) === NOT_CANCELABLE;

/** A suspended or closed account can still be read, and sends nothing. */
export function classifyAccount(answer: Answer, now: Date): PushResult {
  const { status } = fieldsOf<{ status: unknown }>(answer.body);
  const isClosed = answer.status === 200 && (status === 'suspended' || status === 'closed');
  return isClosed ? { kind: 'misconfigured', reason: `account_${status}` } : classify(answer, now);
}
