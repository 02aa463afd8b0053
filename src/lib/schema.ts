/** Builds schemas: the TypeBox builders that the service uses, and some that TypeBox lacks. */
import type { Static, TSchema, Type as TypeBox } from 'typebox';

type Used =
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Ref'
  | 'String'
  | 'Union'
  | 'Unsafe';

const IS_OPTIONAL = Symbol('optional');

const objectOf = (properties: Readonly<Record<string, object>>, options?: object) => {
  const required = Object.keys(properties).filter((name) => !(properties[name] && IS_OPTIONAL in properties[name]));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
};

/** The mark is hidden, so that neither a copy of the schema nor its JSON has it. */
const optionalOf = (schema: object) => Object.defineProperty({ ...schema }, IS_OPTIONAL, { value: true });

/**
 * The builders of TypeBox, with its types. Its own are 370 modules, which would cost a quarter of the CPU time to
 * start, in the thread that reads an import as well.
 */
export const Type = {
  Array: (items: object, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: (options?: object) => ({ type: 'boolean', ...options }),
  Integer: (options?: object) => ({ type: 'integer', ...options }),
  Null: (options?: object) => ({ type: 'null', ...options }),
  Number: (options?: object) => ({ type: 'number', ...options }),
  Object: objectOf,
  Optional: optionalOf,
  Ref: ($ref: string) => ({ $ref }),
  String: (options?: object) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly object[], options?: object) => ({ anyOf, ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
} as unknown as Pick<typeof TypeBox, Used>;

/** The value or null. One schema with two types validates faster and gives clearer errors than `anyOf`. */
export const nullable = <T extends TSchema & { type: string }>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] });

type Component<T extends TSchema> = T & { readonly $id: string };

/** A schema with a name in the API description. It is registered once and then used through `named`. */
export const component = <T extends TSchema>(name: string, schema: T): Component<T> =>
  Object.assign(schema, { $id: name });

/** A reference to a registered component. */
export const named = <T extends TSchema>(schema: Component<T>) => Type.Unsafe<Static<T>>(Type.Ref(schema.$id));

/** An instant in an answer: a `Date` in code, UTC text in JSON. */
export const instantOut = Type.Unsafe<Date>({ type: 'string', format: 'date-time' });
export const nullableInstantOut = Type.Unsafe<Date | null>({ type: ['string', 'null'], format: 'date-time' });

/**
 * Bounds of free-form values, for which JSON Schema has no words. `http/validation.ts` enforces the first, and
 * the size limit of the body the second.
 */
export const MAX_JSON_LENGTH = 'x-max-json-length';
export const MAX_BYTES = 'x-max-bytes';

/**
 * Keeps compiled schemas by their text. Fastify asks for a compiler per route, and a test runs many apps in one process:
 * each would compile the same schemas again.
 */
export class CompiledSchemas<T> {
  readonly #byIds = new Map<string, T>();

  get(schemas: readonly object[], compile: () => T): T {
    return this.#byIds.getOrInsertComputed(schemas.map(idOf).join(), compile);
  }
}

const ids = new WeakMap<object, number>();
const idsByText = new Map<string, number>();

/** The same number for schemas of the same text. */
const idOf = (schema: object): number =>
  ids.getOrInsertComputed(schema, () => idsByText.getOrInsertComputed(JSON.stringify(schema), () => idsByText.size));
