/** Serialises answers by their schemas. A schema is compiled when its route answers for the first time. */
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';

type BuildSerializer = ReturnType<typeof SerializerSelector>;

export const buildSerializer: BuildSerializer = (schemas, options) => {
  const compile = SerializerSelector()(schemas, options);
  return (route) => {
    let serialise: ReturnType<typeof compile> | undefined;
    return (answer) => {
      serialise ??= compile(route);
      return serialise(answer);
    };
  };
};
