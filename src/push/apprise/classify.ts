/** What the answer of an Apprise API server means. Pure. */

import type { Answer } from '../../outbound/http-sender.ts';
import { askedToRetry, classifyAnswer } from '../channel-answer.ts';
import type { PushResult } from '../gateway.ts';

export function classify(answer: Answer, now: Date): PushResult {
  // The server does not know the key, or no service has the tag: nothing was sent, although 204 looks like success.
  if (answer.status === 204) return { kind: 'rejected', reason: 'nothing_sent' };
  // At least one service with the tag refused the message.
  if (answer.status === 424) return askedToRetry(424);
  return classifyAnswer(answer, now);
}
