/** What the answer of a webhook's receiver means. Pure. */
import type { Answer } from '../../outbound/http-sender.ts';
import { classifyAnswer, fieldsOf } from '../channel-answer.ts';
import type { PushResult } from '../gateway.ts';

/** In Standard Webhooks, 410 means that the receiver wants no more messages. */
export const classify = (answer: Answer, now: Date, ref?: string): PushResult =>
  answer.status === 410 ? { kind: 'gone', reason: 'http_410' } : classifyAnswer(answer, now, ref);

/**
 * Whether the receiver returned the challenge: as the whole body, or as the field `challenge` of a JSON object. A server
 * that only sends back what it got does neither.
 */
export const echoes = ({ body }: Answer, challenge: string): boolean =>
  body.trim() === challenge || fieldsOf<{ challenge: unknown }>(body).challenge === challenge;
