/** Turns answers into JSON by their schemas; each schema is compiled when its route first answers. */
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
