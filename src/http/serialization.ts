/** Serialises answers by their schemas. A schema is compiled when its route answers for the first time. */
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import { CompiledSchemas } from '../lib/schema.ts';

type BuildSerializer = ReturnType<typeof SerializerSelector>;
type Compile = ReturnType<BuildSerializer>;

const compilers = new CompiledSchemas<Compile>();

export const buildSerializer: BuildSerializer = (schemas, options) =>
  compilers.get([schemas as object, options ?? {}], () => {
    const compile = SerializerSelector()(schemas, options);
    const compiled = new CompiledSchemas<ReturnType<Compile>>();
    return (route) => {
      let serialise: ReturnType<Compile> | undefined;
      return (answer) => {
        serialise ??= compiled.get([route.schema as object], () => compile(route));
        return serialise(answer);
      };
    };
  });
