/**
 * Makes values from a JSON schema: values that it accepts, and values with exactly one disturbed place. Each disturbed
 * value carries what the schema says about it, so that a value which is wrongly accepted is noticed.
 */
import fc from 'fast-check';

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** What the schema says about a value; `open` where the schema alone cannot tell. */
export type Expectation = 'accepted' | 'refused' | 'open';

export interface Candidate {
  readonly value: unknown;
  readonly expect: Expectation;
}

/** Values that may replace a value of this schema, which has one type and may be nullable. */
export type Disturb = (schema: JsonSchema, nullable: boolean) => fc.Arbitrary<Candidate>[];

/** A schema may contain itself; its values end at this depth. */
const DEEPEST = 4;

/** Each is one code point, since the schema's lengths count code points. */
const CHARACTER = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code)) },
  { weight: 1, arbitrary: fc.constantFrom(...'é\u0301שع\u202e🎺\u200d漢\ufeff\u2028\u0001\u007f\uffff\u{10ffff}') },
);

/** Free-form JSON, without the one key that is refused everywhere. */
const FREE = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })
  .filter((value) => !JSON.stringify(value).includes('"__proto__"'));

export function validValue(schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  const { alternatives, nullable } = alternativesOf(schema);
  const values = alternatives.map((alternative) => valueOfOneType(alternative, depth));
  // The service may have rules that the schema cannot express. The examples satisfy them.
  if (schema.examples?.length) values.push(fc.constantFrom(...schema.examples));
  if (nullable) values.unshift(fc.constant(null));
  return fc.oneof(...(nullable && depth >= DEEPEST ? values.slice(0, 1) : values));
}

/** Replaces the whole value, or any one value inside of it, by a value that `disturb` offers. */
export function disturbedValue(schema: JsonSchema, disturb: Disturb, depth = 0): fc.Arbitrary<Candidate> {
  const { alternatives, nullable } = alternativesOf(schema);
  const options = alternatives.flatMap((one) => [...disturb(one, nullable), ...insideOf(one, disturb, depth)]);
  if (options.length === 0) return validValue(schema, depth).map(accepted);
  // Another alternative may accept a value that one alternative refuses.
  return alternatives.length > 1 ? fc.oneof(...options).map(({ value }) => open(value)) : fc.oneof(...options);
}

const accepted = (value: unknown): Candidate => ({ value, expect: 'accepted' });
export const refused = (value: unknown): Candidate => ({ value, expect: 'refused' });
export const open = (value: unknown): Candidate => ({ value, expect: 'open' });

function alternativesOf(schema: JsonSchema): { alternatives: JsonSchema[]; nullable: boolean } {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const inner = choices.map(alternativesOf);
    return {
      alternatives: inner.flatMap(({ alternatives }) => alternatives),
      nullable: inner.some(({ nullable }) => nullable),
    };
  }
  if (schema.type === undefined || schema.enum) return { alternatives: [schema], nullable: false };
  const types = [schema.type].flat();
  return {
    alternatives: types.filter((type) => type !== 'null').map((type) => ({ ...schema, type })),
    nullable: types.includes('null'),
  };
}

function valueOfOneType(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  switch (schema.type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer(integerRangeOf(schema));
    case 'number':
      return fc.double({ ...numberRangeOf(schema), noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return arrayOf(schema, depth);
    case 'object':
      return objectOf(schema, depth);
    default:
      return FREE;
  }
}

function textOf({ format, pattern, minLength = 0, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uuid')
    return fc.oneof(
      fc.uuid(),
      fc.uuid().map((id) => id.toUpperCase()),
    );
  if (format === 'date-time') return DATE_TIME;
  if (format === 'email') return fc.emailAddress();
  const longest = Math.min(maxLength ?? Number.POSITIVE_INFINITY, minLength + 30);
  if (pattern === undefined) return fc.string({ unit: CHARACTER, minLength, maxLength: longest });
  // "One or more of these" hardly ever comes out as long as it has to be: the bounds go into the pattern itself.
  const bounded = pattern.replace(/\]\+/, `]{${Math.max(1, minLength)},${longest}}`);
  return textMatching(bounded).filter(
    (text) => !text.includes('\0') && [...text].length >= minLength && [...text].length <= (maxLength ?? 1e6),
  );
}

/** fast-check does not support every pattern, for example a lookahead. Then the schema's examples are used. */
function textMatching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'));
  } catch {
    return fc.string({ maxLength: 30 });
  }
}

/** Every way of writing an instant that the contract takes. */
const DATE_TIME = fc
  .tuple(
    fc.date({ min: new Date('0002-01-01T00:00Z'), max: new Date('9998-12-30T00:00Z'), noInvalidDate: true }),
    fc.constantFrom('Z', '', 'z', '+05:45', '-23:59', '+00:00'),
    fc.constantFrom(23, 19, 16),
  )
  .map(([instant, offset, length]) => `${instant.toISOString().slice(0, length)}${offset}`);

const numberRangeOf = ({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema) => ({
  min: minimum ?? exclusiveMinimum ?? -1e15,
  max: maximum ?? exclusiveMaximum ?? 1e15,
  minExcluded: exclusiveMinimum !== undefined,
  maxExcluded: exclusiveMaximum !== undefined,
});

function integerRangeOf(schema: JsonSchema): { min: number; max: number } {
  const { min, max, minExcluded, maxExcluded } = numberRangeOf(schema);
  return { min: Math.ceil(min) + (minExcluded ? 1 : 0), max: Math.floor(max) - (maxExcluded ? 1 : 0) };
}

function arrayOf(schema: JsonSchema, depth: number): fc.Arbitrary<unknown[]> {
  const { items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems = false } = schema;
  const lengths = { minLength: minItems, maxLength: depth >= DEEPEST ? minItems : Math.min(maxItems, minItems + 4) };
  const item = validValue(items, depth + 1);
  return uniqueItems ? fc.uniqueArray(item, { ...lengths, selector: JSON.stringify }) : fc.array(item, lengths);
}

function objectOf(schema: JsonSchema, depth: number): fc.Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties = false } = schema;
  const names = Object.keys(properties).filter((name) => depth < DEEPEST || required.includes(name));
  const fields = names.map((name) => [name, validValue(properties[name] ?? {}, depth + 1)] as const);
  const declared = fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true });
  if (additionalProperties === false) return declared;
  const free = additionalProperties === true ? FREE : validValue(additionalProperties, depth + 1);
  const more = fc.dictionary(keyBeside(properties), free, { maxKeys: 4, noNullPrototype: true });
  return fc.tuple(declared, more).map(([known, unknown]) => ({ ...unknown, ...known }));
}

const keyBeside = (properties: object) =>
  fc.string({ maxLength: 12 }).filter((key) => key !== '__proto__' && !Object.hasOwn(properties, key));

function insideOf(schema: JsonSchema, disturb: Disturb, depth: number): fc.Arbitrary<Candidate>[] {
  if (depth >= DEEPEST) return [];
  const inner = (part: JsonSchema) => disturbedValue(part, disturb, depth + 1);
  if (schema.type === 'array' && schema.items) {
    return [fc.tuple(arrayOf(schema, depth), inner(schema.items)).map(([list, one]) => placeFirst(list, one))];
  }
  if (schema.type !== 'object') return [];
  const { properties = {}, additionalProperties: more } = schema;
  const whole = objectOf(schema, depth);
  const places = Object.entries(properties).map(([name, part]) => ({ name: fc.constant(name), value: inner(part) }));
  if (more) places.push({ name: keyBeside(properties), value: inner(more === true ? {} : more) });
  return places.map(({ name, value }) =>
    fc.tuple(whole, name, value).map(([object, key, one]) => ({ ...one, value: { ...object, [key]: one.value } })),
  );
}

const placeFirst = (list: readonly unknown[], one: Candidate): Candidate => ({
  ...one,
  value: [one.value, ...list.slice(1)],
});

/** One wrong thing, or one thing exactly at a limit. */
export const flawsOf: Disturb = (schema, nullable) => [...wrongTypesFor(schema, nullable), ...flawsWithinType(schema)];

const SAMPLES = { string: 'text', integer: 7, number: 1.5, boolean: true, array: [], object: {}, null: null };

function wrongTypesFor({ type }: JsonSchema, nullable: boolean): fc.Arbitrary<Candidate>[] {
  if (typeof type !== 'string') return [];
  const fitting = [type, ...(type === 'number' ? ['integer'] : []), ...(nullable ? ['null'] : [])];
  const wrong = Object.entries(SAMPLES).filter(([name]) => !fitting.includes(name));
  return [fc.constantFrom(...wrong).map(([, value]) => refused(value))];
}

/** Flaws that survive being written as text, as in a query. */
export function flawsWithinType(schema: JsonSchema): fc.Arbitrary<Candidate>[] {
  if (schema.enum || schema.const !== undefined) return [fc.constant(refused('no such word'))];
  switch (schema.type) {
    case 'string':
      return textFlaws(schema);
    case 'integer':
    case 'number':
      return numberFlaws(schema).map((candidate) => fc.constant(candidate));
    case 'array':
      return arrayFlaws(schema);
    case 'object':
      return objectFlaws(schema);
    default:
      return [];
  }
}

const MALFORMED: Readonly<Record<string, readonly string[]>> = {
  uuid: ['me', '', 'urn:uuid:018f4e9c-2f6b-7abc-8def-0123456789ab', '018f4e9c2f6b7abc8def0123456789ab', '{0}'],
  'date-time': ['tomorrow', '', '2026-02-30T00:00:00Z', '2026-03-29', '2026-03-29T25:00:00Z', '+099999-01-01T00:00Z'],
  email: ['nobody', '', '@', 'a@b@c', 'a b@example.org'],
};
const UNLIKELY_TO_MATCH = ['', ' ', '!', 'no such word', '\u0007', '\n', '🎺'.repeat(50)];

function textFlaws({ format, pattern, minLength, maxLength }: JsonSchema): fc.Arbitrary<Candidate>[] {
  if (format === undefined && pattern === undefined) {
    return lengthFlaws(minLength, maxLength, (length) =>
      fc.constantFrom('x', '🎺').map((character) => character.repeat(length)),
    );
  }
  const expression = new RegExp(pattern ?? '', 'u');
  const wrong = format ? MALFORMED[format] : UNLIKELY_TO_MATCH.filter((text) => !expression.test(text));
  return wrong?.length ? [fc.constantFrom(...wrong).map(refused)] : [];
}

function lengthFlaws(
  shortest = 0,
  longest: number | undefined,
  ofLength: (length: number) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Candidate>[] {
  return [
    ofLength(shortest).map(accepted),
    ...(shortest > 0 ? [ofLength(shortest - 1).map(refused)] : []),
    ...(longest === undefined ? [] : [ofLength(longest).map(accepted), ofLength(longest + 1).map(refused)]),
  ];
}

function arrayFlaws({ items = {}, minItems, maxItems, uniqueItems }: JsonSchema): fc.Arbitrary<Candidate>[] {
  const item = validValue(items, 1);
  const flaws = [
    ...lengthFlaws(minItems, maxItems, (length) => fc.array(item, { minLength: length, maxLength: length })),
    // A list with many faults must not cause an equally long error.
    ...wrongTypesFor(items, true).map((wrong) => wrong.map(({ value }) => refused(Array(30).fill(value)))),
  ];
  if (!uniqueItems) return flaws;
  // A list of the right length may still repeat itself here.
  const doubtful = flaws.map((flaw) => flaw.map((one) => (one.expect === 'accepted' ? open(one.value) : one)));
  return [...doubtful, item.map((one) => refused([one, one]))];
}

function numberFlaws({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): Candidate[] {
  return [
    ...(minimum === undefined ? [] : [accepted(minimum), refused(minimum - 1)]),
    ...(maximum === undefined ? [] : [accepted(maximum), refused(maximum + 1)]),
    ...(exclusiveMinimum === undefined ? [] : [refused(exclusiveMinimum)]),
    ...(exclusiveMaximum === undefined ? [] : [refused(exclusiveMaximum)]),
  ];
}

/** Names that are not in the schema, but that a store or an object may have. */
const UNDECLARED = ['from_the_future', 'id', 'user_id', 'email', 'plan', 'created_at', 'constructor', 'toJSON'];

function objectFlaws(schema: JsonSchema): fc.Arbitrary<Candidate>[] {
  const { properties = {}, required = [], additionalProperties } = schema;
  const whole = objectOf(schema, 0);
  // A required field with a default is filled in before it is checked.
  const missable = required.filter((name) => properties[name]?.default === undefined);
  const extra = fc.constantFrom(...UNDECLARED.filter((name) => !Object.hasOwn(properties, name)));
  const judge = additionalProperties === false ? refused : accepted;
  return [
    ...missable.map((name) => whole.map((object) => refused({ ...object, [name]: undefined }))),
    ...(typeof additionalProperties === 'object'
      ? []
      : [fc.tuple(whole, extra).map(([object, name]) => judge({ ...object, [name]: 1 }))]),
  ];
}
