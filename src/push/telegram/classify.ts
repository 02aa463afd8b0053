/** What Telegram's answer means. Pure. Descriptions are Telegram's own texts and contain nothing personal. */

import type { Answer } from '../../outbound/http-sender.ts';
import { askedToRetry, classifyAnswer, fieldsOf } from '../channel-answer.ts';
import type { PushResult } from '../gateway.ts';

const GONE =
  /bot was (blocked|kicked)|user is deactivated|not a member|chat not found|chat was deleted|bot can't initiate/i;

interface BotAnswer {
  readonly description?: string;
  readonly parameters?: { readonly retry_after?: number };
  readonly result?: unknown;
}

export function classify(answer: Answer, now: Date): PushResult {
  const { status } = answer;
  const { description = '', parameters, result } = parseAnswer(answer);
  if (status === 200) {
    const id = (result as { message_id?: number } | undefined)?.message_id;
    return { kind: 'accepted', ...(id !== undefined && { ref: String(id) }) };
  }
  if ((status === 403 || status === 400) && GONE.test(description)) return { kind: 'gone', reason: 'chat_gone' };
  // The token of the bot belongs to the operator.
  if (status === 401 || status === 404) return { kind: 'misconfigured', reason: `http_${status}` };
  if (status === 429 && parameters?.retry_after) return askedToRetry(status, parameters.retry_after * 1_000);
  return status === 403 ? { kind: 'rejected', reason: 'http_403' } : classifyAnswer(answer, now);
}

/** A message that is gone or older than two days cannot be deleted, so a retry would not help. */
export const classifyRetraction = (answer: Answer, now: Date): PushResult =>
  answer.status === 400 ? { kind: 'accepted' } : classify(answer, now);

export const parseAnswer = ({ body }: Answer): BotAnswer => fieldsOf<BotAnswer>(body);
