/**
 * Checks path, query and body against their schemas and words the problems of a 422.
 *
 * Path and query values are text and are converted to the declared type. Values of a body are not converted:
 * a number is not a title, and "yes" is not a boolean. A problem never repeats the value.
 */
import { _, Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { parseDateTime } from '../lib/date-time.ts';
import { isEmailAddress } from '../lib/email.ts';
import { type InputProblem, InvalidInput } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { CompiledSchemas, MAX_BYTES, MAX_JSON_LENGTH } from '../lib/schema.ts';

/** More would not help the caller, and a hostile body could cause hundreds of thousands. */
const MAX_PROBLEMS = 20;

/** For input with more values than this, only the first problem is listed. */
const MAX_VALUES_TO_LIST_ALL = 1_000;

const PART_NAMES: Readonly<Record<string, string>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

type Schemas = Readonly<Record<string, AnySchemaObject>>;

const validators = new CompiledSchemas<FastifySchemaCompiler<AnySchemaObject>>();

/** Fastify calls this once per route, with all registered schemas. */
export const buildValidator = (schemas: Schemas): FastifySchemaCompiler<AnySchemaObject> =>
  validators.get([schemas], () => createValidators(schemas));

function createValidators(schemas: Schemas): FastifySchemaCompiler<AnySchemaObject> {
  const compilerFor = (coerceTypes: boolean) => ({
    first: createCompiler(schemas, { coerceTypes, allErrors: false }),
    all: createCompiler(schemas, { coerceTypes, allErrors: true }),
  });
  const strict = compilerFor(false);
  const coercing = compilerFor(true);

  return ({ schema, httpPart }) => {
    const part = PART_NAMES[httpPart ?? ''] ?? 'body';
    const { first, all } = part === 'body' ? strict : coercing;
    // Compiled at the first request of the route: compiling fifty schemas would double the time to start.
    let validate: ValidateFunction | undefined;
    const removeUnknownFields = unknownFieldRemover(schema, schemas);
    return (data: unknown) => {
      validate ??= first(schema);
      if (validate(data)) {
        const infinite = findInfinite(part, data);
        return infinite.length === 0 ? removeUnknownFields(data) : { error: new InvalidInput(...infinite) };
      }
      const errors = hasAtMost(MAX_VALUES_TO_LIST_ALL, data) ? listErrors(all(schema), data) : validate.errors;
      const problems = (errors ?? []).slice(0, MAX_PROBLEMS).map((error) => toProblem(part, error));
      return { error: new InvalidInput(...problems) };
    };
  };
}

/** `1e400` is parsed as Infinity, and Ajv does not check the range of a number that is not finite. */
function findInfinite(part: string, data: unknown): InputProblem[] {
  const problems: InputProblem[] = [];
  if (typeof data !== 'object' || data === null) return problems;
  for (const [key, value] of Object.entries(data)) {
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
      problems.push({ type: 'finite_number', loc: [part, key], msg: 'Input should be a finite number' });
  }
  return problems;
}

/**
 * Unknown fields are ignored, so that newer clients keep working. They are removed here, so that a service
 * that passes its input on to the database never receives a field that no schema declares.
 */
function unknownFieldRemover(schema: AnySchemaObject, schemas: Schemas): (data: unknown) => true {
  const { properties, additionalProperties } = schema.$ref ? (schemas[schema.$ref] ?? {}) : schema;
  const known = new Set(Object.keys(properties ?? {}));
  return (data) => {
    if (additionalProperties || typeof data !== 'object' || data === null) return true;
    for (const key of Object.keys(data)) if (!known.has(key)) delete (data as Record<string, unknown>)[key];
    return true;
  };
}

type Compile = (schema: AnySchemaObject) => ValidateFunction;

/** Its Ajv is created when first needed: most input is valid, and each instance costs memory. */
function createCompiler(schemas: Schemas, options: { coerceTypes: boolean; allErrors: boolean }): Compile {
  const compiled = new CompiledSchemas<ValidateFunction>();
  let ajv: Ajv | undefined;
  return (schema) =>
    compiled.get([schema], () => {
      ajv ??= createAjv(schemas, options);
      return ajv.compile(schema);
    });
}

function createAjv(schemas: Schemas, options: { coerceTypes: boolean; allErrors: boolean }): Ajv {
  // TypeBox builds valid schemas, so they are not checked against the meta-schema.
  const ajv = new Ajv({ ...options, meta: false, validateSchema: false, allowUnionTypes: true, useDefaults: true });
  replaceFormats(ajv);
  addBoundsOfFreeForms(ajv);
  ajv.addSchema(Object.values(schemas));
  return ajv;
}

function listErrors(validate: ValidateFunction, data: unknown): ErrorObject[] | null | undefined {
  validate(data);
  return validate.errors;
}

function hasAtMost(limit: number, data: unknown): boolean {
  const queue: unknown[] = [data];
  for (let seen = 0; queue.length > 0; seen += 1) {
    if (seen + queue.length > limit) return false;
    const value = queue.pop();
    if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) if (queue.push(inner) > limit) return false;
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
 * Ajv's formats accept `urn:uuid:…` and refuse a date-time without offset, so ours replace the keyword. A
 * UUID is also lower-cased here, because PostgreSQL ignores the case of UUIDs and SQLite does not.
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
      if (!accepts) throw new Error(`Unknown format: ${format}.`);
      return (text: string, context) => {
        if (!accepts(text)) return false;
        if (format === 'uuid' && context) context.parentData[context.parentDataProperty] = text.toLowerCase();
        return true;
      };
    },
  });
}

/** A free-form value is bounded by the length of its JSON text, in code points like every other text. */
function addBoundsOfFreeForms(ajv: Ajv): void {
  ajv.addKeyword(MAX_BYTES);
  ajv.addKeyword({
    keyword: MAX_JSON_LENGTH,
    schemaType: 'number',
    errors: false,
    error: { message: 'is too long', params: ({ schema }) => _`{limit: ${schema}}` },
    compile: (limit: number) => (value: unknown) => {
      const text = JSON.stringify(value);
      return text.length <= limit || [...text].length <= limit;
    },
  });
}

function toProblem(part: string, error: ErrorObject): InputProblem {
  const path = error.instancePath.split('/').slice(1).map(decodePointer);
  if (error.keyword === 'required') path.push(error.params.missingProperty);
  return { loc: [part, ...path], ...wordsFor(part, error) };
}

/** An array index becomes a number. So would an object key of digits, which no schema of ours has. */
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
    case MAX_JSON_LENGTH:
      return { type: 'too_long', msg: `Input should have at most ${characters(params.limit)} as JSON` };
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

/** Text that cannot be converted has another problem type than a value of the wrong type. */
function wordsForType(part: string, expected: string): Words {
  const [type, noun] = TYPE_WORDS[expected] ?? ['value', expected];
  const wasText = part !== 'body' && expected !== 'string';
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
