/**
 * Judges path, query and body by their schemas and words the complaints of a 422.
 *
 * Path and query values are text and are parsed into the declared type; a body is taken as it is,
 * so a number is no title and "yes" is no boolean. Complaints never repeat the value.
 */
import { _, Ajv, type AnySchemaObject, type ErrorObject } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { parseDateTime } from '../lib/date-time.ts';
import { isEmailAddress } from '../lib/email.ts';
import { type InputProblem, InvalidInput } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';

/** More than these help nobody, and a hostile body could provoke hundreds of thousands. */
const MOST_PROBLEMS = 20;

/** Every fault is listed for inputs up to this many values; in a larger one the first alone. */
const MOST_VALUES_TO_LIST_ALL = 1_000;

const PART_NAMES: Readonly<Record<string, string>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

/** Fastify asks for this once per encapsulated context, with the schemas registered there. */
export function buildValidator(schemas: unknown): FastifySchemaCompiler<AnySchemaObject> {
  const compilerFor = (coerceTypes: boolean) => ({
    first: createAjv(schemas, { coerceTypes, allErrors: false }),
    all: createAjv(schemas, { coerceTypes, allErrors: true }),
  });
  const asTaken = compilerFor(false);
  const parsed = compilerFor(true);

  return ({ schema, httpPart }) => {
    const part = PART_NAMES[httpPart ?? ''] ?? 'body';
    const { first, all } = part === 'body' ? asTaken : parsed;
    // Compiled when the route is first asked: fifty of them at once would double the time to start.
    let validate: ReturnType<Ajv['compile']> | undefined;
    const forget = forgetterOf(schema, schemas as Record<string, AnySchemaObject>);
    return (data: unknown) => {
      validate ??= first().compile(schema);
      if (validate(data)) {
        const infinite = findInfinite(part, data);
        return infinite.length === 0 ? forget(data) : { error: new InvalidInput(...infinite) };
      }
      const errors = hasAtMost(MOST_VALUES_TO_LIST_ALL, data) ? listErrors(all(), schema, data) : validate.errors;
      const problems = (errors ?? []).slice(0, MOST_PROBLEMS).map((error) => toProblem(part, error));
      return { error: new InvalidInput(...problems) };
    };
  };
}

/** `1e400` is parsed into Infinity, and Ajv judges no range of what is not finite. */
function findInfinite(part: string, data: unknown): InputProblem[] {
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([key, value]) =>
    value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
      ? [{ type: 'finite_number', loc: [part, key], msg: 'Input should be a finite number' }]
      : [],
  );
}

/**
 * Unknown fields are ignored, so that newer clients keep working. They are dropped here, once and
 * for all: a service that hands its input on to the database must never meet a field nobody declared.
 */
function forgetterOf(schema: AnySchemaObject, schemas: Record<string, AnySchemaObject>): (data: unknown) => true {
  const { properties, additionalProperties } = schema.$ref ? (schemas[schema.$ref] ?? {}) : schema;
  const known = new Set(Object.keys(properties ?? {}));
  return (data) => {
    if (additionalProperties || typeof data !== 'object' || data === null) return true;
    for (const key of Object.keys(data)) if (!known.has(key)) delete (data as Record<string, unknown>)[key];
    return true;
  };
}

/** Made when first needed: most inputs are valid, and each Ajv costs memory. */
function createAjv(schemas: unknown, options: { coerceTypes: boolean; allErrors: boolean }): () => Ajv {
  let ajv: Ajv | undefined;
  return () => {
    if (!ajv) {
      // Our schemas are made by TypeBox, so they are not themselves checked against the schema of schemas.
      ajv = new Ajv({ ...options, meta: false, validateSchema: false, allowUnionTypes: true, useDefaults: true });
      replaceFormats(ajv);
      ajv.addSchema(Object.values(schemas as Record<string, AnySchemaObject>));
    }
    return ajv;
  };
}

function listErrors(ajv: Ajv, schema: AnySchemaObject, data: unknown): ErrorObject[] | null | undefined {
  const validate = ajv.compile(schema);
  validate(data);
  return validate.errors;
}

function hasAtMost(limit: number, data: unknown): boolean {
  const waiting: unknown[] = [data];
  for (let seen = 0; waiting.length > 0; seen += 1) {
    if (seen + waiting.length > limit) return false;
    const value = waiting.pop();
    if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) if (waiting.push(inner) > limit) return false;
    }
  }
  return true;
}

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: isUuid,
  'date-time': (text) => parseDateTime(text) !== undefined,
  email: (text) => isEmailAddress(text.trim()),
};

/**
 * Ajv's own formats accept `urn:uuid:…` and refuse a date-time without offset, so ours replace the
 * keyword. A UUID is also lower-cased here: PostgreSQL compares them without regard to case and
 * SQLite does not.
 */
function replaceFormats(ajv: Ajv): void {
  ajv.removeKeyword('format');
  ajv.addKeyword({
    keyword: 'format',
    type: 'string',
    schemaType: 'string',
    modifying: true,
    errors: false,
    error: { message: 'has the wrong format', params: ({ schema }) => _`{format: ${schema}}` },
    compile: (format: string) => {
      const accepts = FORMATS[format];
      if (!accepts) throw new Error(`The format ${format} is not known here.`);
      return (text: string, context) => {
        if (!accepts(text)) return false;
        if (format === 'uuid' && context) context.parentData[context.parentDataProperty] = text.toLowerCase();
        return true;
      };
    },
  });
}

function toProblem(part: string, error: ErrorObject): InputProblem {
  const path = error.instancePath.split('/').slice(1).map(decodePointer);
  if (error.keyword === 'required') path.push(error.params.missingProperty);
  return { loc: [part, ...path], ...wordsFor(part, error) };
}

/** Array positions are numbers; an object's key that looks like one stays text in spirit, and no schema of ours has one. */
function decodePointer(token: string): string | number {
  const text = token.replaceAll('~1', '/').replaceAll('~0', '~');
  return /^\d+$/.test(text) ? Number(text) : text;
}

type Words = Pick<InputProblem, 'type' | 'msg'>;

function wordsFor(part: string, { keyword, params, message }: ErrorObject): Words {
  switch (keyword) {
    case 'required':
      return { type: 'missing', msg: 'Field required' };
    case 'type':
      return wordsForType(part, [params.type].flat().find((type) => type !== 'null') ?? 'null');
    case 'minLength':
      return { type: 'string_too_short', msg: `String should have at least ${characters(params.limit)}` };
    case 'maxLength':
      return { type: 'string_too_long', msg: `String should have at most ${characters(params.limit)}` };
    case 'pattern':
      return { type: 'string_pattern_mismatch', msg: `String should match pattern '${params.pattern}'` };
    case 'minimum':
      return { type: 'greater_than_equal', msg: `Input should be greater than or equal to ${params.limit}` };
    case 'maximum':
      return { type: 'less_than_equal', msg: `Input should be less than or equal to ${params.limit}` };
    case 'enum':
    case 'const':
      return {
        type: 'literal_error',
        msg: `Input should be one of: ${[params.allowedValues ?? params.allowedValue].flat().join(', ')}`,
      };
    case 'format':
      return wordsForFormat(params.format);
    default:
      return { type: 'value_error', msg: `Input ${message ?? 'is not valid'}` };
  }
}

const characters = (count: number) => `${count} character${count === 1 ? '' : 's'}`;

const TYPE_WORDS: Readonly<Record<string, [type: string, noun: string]>> = {
  string: ['string', 'a valid string'],
  integer: ['int', 'a valid integer'],
  number: ['float', 'a valid number'],
  boolean: ['bool', 'a valid boolean'],
  array: ['list', 'a valid array'],
  object: ['dict', 'a valid object'],
  null: ['none', 'null'],
};

/** Text that could not be parsed is another fault than a value of the wrong type. */
function wordsForType(part: string, wanted: string): Words {
  const [type, noun] = TYPE_WORDS[wanted] ?? ['value', wanted];
  const wasText = part !== 'body' && wanted !== 'string';
  return { type: `${type}_${wasText ? 'parsing' : 'type'}`, msg: `Input should be ${noun}` };
}

function wordsForFormat(format: string): Words {
  switch (format) {
    case 'uuid':
      return { type: 'uuid_parsing', msg: 'Input should be a valid UUID' };
    case 'date-time':
      return { type: 'datetime_parsing', msg: 'Input should be a valid ISO 8601 date-time' };
    default:
      return { type: 'value_error', msg: `Input should be a valid ${format}` };
  }
}
