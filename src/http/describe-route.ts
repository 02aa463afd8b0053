/** Builds the options of a route in one call: its entry in the API description, its input and its answer. */
import type { TSchema } from 'typebox';
import type { ErrorCode } from '../lib/errors.ts';
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
}

export const describeRoutes =
  (tag: string) =>
  <I extends Input, D extends TSchema>(
    operationId: string,
    summary: string,
    { data, refuses = [], ...input }: I & Output<D>,
  ) => ({
    config: { refuses },
    schema: { operationId, tags: [tag], summary, ...input, response: { 200: envelopeOf(data) } },
  });
