/** Builds the options of a route in one call: its entry in the API description, its input and its answer. */
import type { FastifyContextConfig } from 'fastify';
import type { TSchema } from 'typebox';
import { envelopeOf } from './envelope.ts';

interface Input {
  readonly headers?: TSchema;
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly body?: TSchema;
}

interface Output<D extends TSchema>
  extends Pick<FastifyContextConfig, 'refuses' | 'sends' | 'showsSecret' | 'needsRecentSignIn'> {
  /** The `data` of a successful answer. */
  readonly data: D;
  readonly description?: string;
}

export const describeRoutes =
  (tag: string, config: Pick<FastifyContextConfig, 'isCostly'> = {}) =>
  <I extends Input, D extends TSchema>(
    operationId: string,
    summary: string,
    { data, refuses = [], sends, description, showsSecret = false, needsRecentSignIn, ...input }: I & Output<D>,
  ) => ({
    config: {
      ...config,
      refuses: needsRecentSignIn ? [...refuses, 'recent_sign_in_required' as const] : refuses,
      showsSecret,
      ...(sends && { sends }),
      ...(needsRecentSignIn && { needsRecentSignIn }),
    },
    schema: {
      operationId,
      tags: [tag],
      summary,
      ...(description !== undefined && { description }),
      ...input,
      response: { 200: envelopeOf(data) },
    },
  });
