/** Finds values in a JSON schema that a caller could make as large as the body allows. */
export interface ValueSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: ValueSchema;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly additionalProperties?: boolean | ValueSchema;
  readonly anyOf?: readonly ValueSchema[];
  readonly oneOf?: readonly ValueSchema[];
  readonly 'x-max-json-length'?: number;
  readonly 'x-max-bytes'?: number;
}

type Named = Readonly<Record<string, ValueSchema>>;

/** Our parsers of these accept a fixed number of characters. */
const BOUNDED_FORMATS = ['uuid', 'date-time'];

/** Returns the places of unbounded values, each starting with `at`. */
export function unboundedIn(schema: ValueSchema, named: Named, at: string): string[] {
  if (schema.$ref !== undefined) return unboundedIn(named[schema.$ref.split('/').at(-1) ?? ''] ?? {}, named, at);
  if (schema.enum || schema.const !== undefined) return [];
  if (schema['x-max-json-length'] !== undefined || schema['x-max-bytes'] !== undefined) return [];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.flatMap((choice) => unboundedIn(choice, named, at));
  const types = [schema.type ?? 'anything'].flat();
  return types.flatMap((type) => unboundedOfType(type, schema, named, at));
}

function unboundedOfType(type: string, schema: ValueSchema, named: Named, at: string): string[] {
  const unless = (isBounded: boolean) => (isBounded ? [] : [`${at}: ${type}`]);
  switch (type) {
    case 'null':
    case 'boolean':
      return [];
    case 'string':
      return unless(isBoundedText(schema));
    case 'integer':
    case 'number':
      return unless(schema.minimum !== undefined && schema.maximum !== undefined);
    case 'array':
      return [...unless(schema.maxItems !== undefined), ...unboundedIn(schema.items ?? {}, named, `${at}[]`)];
    case 'object':
      return [
        // Without additionalProperties, unknown fields are ignored.
        ...unless(!schema.additionalProperties || schema.maxProperties !== undefined),
        ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => unboundedIn(one, named, `${at}.${name}`)),
      ];
    default:
      return unless(false);
  }
}

function isBoundedText({ maxLength, format = '', pattern = '' }: ValueSchema): boolean {
  const isBoundedPattern = /^\^.*\$$/.test(pattern) && !/[*+]|,\}/.test(pattern);
  return maxLength !== undefined || BOUNDED_FORMATS.includes(format) || isBoundedPattern;
}
