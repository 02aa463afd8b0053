/** Builds the options of a route in one call: its entry in the API description, its input and its answer. */
import type { FastifyContextConfig } from 'fastify';
import type { TSchema } from 'typebox';
import type { ErrorCode } from '../lib/errors.ts';
import type { AnswerHeader } from './answer-headers.ts';
import { envelopeOf } from './envelope.ts';

interface Input {
  readonly headers?: TSchema;
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly body?: TSchema;
}

interface Output<D extends TSchema> {
  /** The `data` of a successful answer. */
  readonly data: D;
  /** Errors of this route, in addition to those of every route. */
  readonly refuses?: readonly ErrorCode[];
  /** Headers that a successful answer may have, in addition to those that follow from the input. */
  readonly sends?: readonly AnswerHeader[];
  readonly description?: string;
  /** The answer contains a secret that is shown once, so it is stored nowhere. */
  readonly showsSecret?: boolean;
}

export const describeRoutes =
  (tag: string, config: Pick<FastifyContextConfig, 'isCostly'> = {}) =>
  <I extends Input, D extends TSchema>(
    operationId: string,
    summary: string,
    { data, refuses = [], sends, description, showsSecret = false, ...input }: I & Output<D>,
  ) => ({
    config: { ...config, refuses, showsSecret, ...(sends && { sends }) },
    schema: {
      operationId,
      tags: [tag],
      summary,
      ...(description !== undefined && { description }),
      ...input,
      response: { 200: envelopeOf(data) },
    },
  });
