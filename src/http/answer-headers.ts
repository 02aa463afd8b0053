/** The headers of answers, as the API description declares them. Every answer also has an `X-Request-Id`. */
import type { OpenAPIV3_1 } from 'openapi-types';

const text = (description: string) => ({ description, schema: { type: 'string' as const } });

export const answerHeaders = {
  'Retry-After': { description: 'In how many seconds to try again.', schema: { type: 'integer' as const, minimum: 0 } },
  'WWW-Authenticate': text('`Bearer`, with an `error` for a wrong token and the `scope` that a token lacks.'),
  'Idempotent-Replayed': text('`true` if this is the stored answer to an earlier request with the same key.'),
  'X-Next-Cursor': text('The `cursor` of the next page. Absent from the last one.'),
  'X-Found-All': text('How many tasks of this page, the first ones, have all words that were searched for.'),
  'X-Recurrence': text(
    '`not-understood` if the recurrence is stored and the task does not repeat, `partly-understood` if it repeats ' +
      'by a part of the recurrence only. Absent otherwise.',
  ),
  'X-Sign-In-Request': text(
    'Shows that the proof comes from who asked to sign in, if it is sent back in the same header. Optional.',
  ),
};

export type AnswerHeader = keyof typeof answerHeaders;

/** The headers that follow from the operation itself: its security and its parameters. */
export function headersOf(status: string, { security, parameters = [] }: OpenAPIV3_1.OperationObject): AnswerHeader[] {
  const takes = (name: string) => parameters.some((one) => 'name' in one && one.name === name);
  const replayed: AnswerHeader[] = takes('Idempotency-Key') ? ['Idempotent-Replayed'] : [];
  if (status === '200') return takes('cursor') ? [...replayed, 'X-Next-Cursor'] : replayed;
  if (status === '401') return ['WWW-Authenticate'];
  if (status === '403') return security?.some((one) => 'token' in one) ? ['WWW-Authenticate', ...replayed] : replayed;
  // The first request with the same key is still running.
  if (status === '409') return takes('Idempotency-Key') ? ['Retry-After', ...replayed] : [];
  if (status === '429' || status === '503') return ['Retry-After'];
  return status === '500' ? [] : replayed;
}
