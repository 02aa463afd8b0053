/** What the answer of an Apprise API server means. Pure. */
import { askedToRetry, classifyAnswer } from '../channel-answer.ts';
import type { PushResult } from '../gateway.ts';
import type { Answer } from '../http-sender.ts';

export function classify(answer: Answer, now: Date): PushResult {
  // The key is unknown there, or no service of it has the tag: nothing was sent, although the status looks like success.
  if (answer.status === 204) return { kind: 'rejected', reason: 'nothing_sent' };
  // At least one service behind the tag did not take the message.
  if (answer.status === 424) return askedToRetry(424);
  return classifyAnswer(answer, now);
}
