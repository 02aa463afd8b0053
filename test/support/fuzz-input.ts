/**
 * Requests for every operation of an OpenAPI document: valid ones, ones with a single thing wrong,
 * and hostile ones. Everything is read from the document, so a route that is added is fuzzed too.
 */
import fc from 'fast-check';
import {
  type Candidate,
  type Disturb,
  disturbedValue,
  type Expectation,
  flawsOf,
  flawsWithinType,
  type JsonSchema,
  open,
  refused,
  validValue,
} from './fuzz-schema.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
type Method = (typeof METHODS)[number];

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export interface Operation {
  readonly method: Method;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: JsonSchema; readonly required: boolean } | undefined;
  /** Whether a success is JSON; a feed or a file is not. */
  readonly answersJson: boolean;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

interface DescribedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses?: Readonly<Record<string, Partial<Content>>>;
}

/** Reads the operations, each `$ref` replaced by what it refers to (which may refer back to itself). */
export function readOperations(document: unknown): Operation[] {
  const { paths } = dereference(structuredClone(document)) as Document;
  return Object.entries(paths).flatMap(([path, operations]) =>
    METHODS.filter((method) => operations[method.toLowerCase()]).map((method) => {
      const { parameters = [], requestBody, responses } = operations[method.toLowerCase()] ?? {};
      const answersJson = responses?.['200']?.content?.['application/json'] !== undefined;
      const schema = requestBody?.content['application/json']?.schema;
      const body = schema && { schema, required: requestBody?.required ?? false };
      return { method, path, parameters, body, answersJson };
    }),
  );
}

function dereference(document: unknown): unknown {
  const seen = new Set<unknown>();
  const visit = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return node;
    if ('$ref' in node) return visit(follow(document, String(node.$ref)));
    seen.add(node);
    for (const [key, value] of Object.entries(node)) Object.assign(node, { [key]: visit(value) });
    return node;
  };
  return visit(document);
}

const follow = (document: unknown, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce(
      (node, key) => (node as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );

type Headers = Readonly<Record<string, string | string[]>>;

/** An unfinished request. Path and query are already encoded for a URL. */
interface Draft {
  readonly method: Method;
  readonly path: Readonly<Record<string, string>>;
  readonly query: readonly string[];
  readonly headers: Headers;
  readonly payload: string | Buffer | undefined;
  readonly expect: Expectation;
}

/** Changes one thing about a draft. */
type Twist = (draft: Draft) => Draft;

export interface FuzzRequest extends Pick<Draft, 'method' | 'headers' | 'payload' | 'expect'>, fc.WithToStringMethod {
  readonly operation: Operation;
  readonly url: string;
}

/** `tokens` are valid, so that routes behind authentication are fuzzed as well. */
export function requestsTo(operation: Operation, tokens: readonly string[]): fc.Arbitrary<FuzzRequest> {
  const valid = validDrafts(operation, tokens);
  const flawed = fc.tuple(
    valid,
    fc.oneof(
      ...flawTwists(operation),
      fc.constant((draft: Draft) => draft),
    ),
  );
  const hostile = fc.tuple(valid, fc.array(fc.oneof(...hostileTwists(operation)), { minLength: 1, maxLength: 3 }));
  return fc
    .oneof(
      { weight: 2, arbitrary: valid },
      { weight: 4, arbitrary: flawed.map(([draft, twist]) => twist(draft)) },
      { weight: 4, arbitrary: hostile.map(([draft, twists]) => twists.reduce((made, twist) => twist(made), draft)) },
    )
    .map((draft) => finish(operation, draft));
}

function finish(operation: Operation, draft: Draft): FuzzRequest {
  const { method, path, query, headers, payload } = draft;
  const address = operation.path.replaceAll(/\{([^}]+)\}/g, (_whole, name: string) => path[name] ?? '');
  const url = query.length > 0 ? `${address}?${query.join('&')}` : address;
  // Whatever follows a fragment is not sent.
  const expect = url.includes('#') ? 'open' : draft.expect;
  const written = payload === undefined ? '(no body)' : `${payload.length} long: ${shorten(payload.toString())}`;
  const text = `${method} ${shorten(url)}\n  headers ${shorten(JSON.stringify(headers))}\n  body ${written}`;
  return { operation, method, url, headers, payload, expect, [fc.toStringMethod]: () => `${text}\n  is ${expect}` };
}

const shorten = (text: string) => (text.length > 600 ? `${text.slice(0, 400)} … ${text.slice(-100)}` : text);

function validDrafts({ method, parameters, body }: Operation, tokens: readonly string[]): fc.Arbitrary<Draft> {
  const valuesIn = (place: Parameter['in']) => {
    const here = parameters.filter((parameter) => parameter.in === place);
    const fields = Object.fromEntries(here.map((parameter) => [parameter.name, validValue(schemaOf(parameter))]));
    const requiredKeys = here.filter(({ required }) => required).map(({ name }) => name);
    return fc.record<Record<string, unknown>>(fields, { requiredKeys, noNullPrototype: true });
  };
  return fc
    .record({
      path: valuesIn('path'),
      query: valuesIn('query'),
      header: valuesIn('header'),
      authorization: authorizations(tokens),
      type: fc.constantFrom('application/json', 'application/json; charset=utf-8', undefined),
      payload: body ? validPayloads(body) : fc.constant(undefined),
    })
    .map(({ path, query, header, authorization, type, payload }) => ({
      method,
      path: Object.fromEntries(Object.entries(path).map(([name, value]) => [name, encode(value)])),
      query: Object.entries(query).flatMap(([name, value]) => pairs(name, value)),
      headers: {
        ...Object.fromEntries(Object.entries(header).map(([name, value]) => [name, encode(value)])),
        ...(authorization !== undefined && { authorization }),
        ...(type !== undefined && payload !== undefined && { 'content-type': type }),
      },
      payload,
      expect: 'accepted' as const,
    }));
}

/** Path parameters are never empty, because an empty segment is another address. */
const schemaOf = ({ in: place, schema }: Parameter): JsonSchema =>
  place === 'path' ? { ...schema, minLength: Math.max(1, schema.minLength ?? 0) } : schema;

const encode = (value: unknown) => encodeURIComponent(String(value).toWellFormed());
const pairs = (name: string, value: unknown) => [value].flat().map((one) => `${encode(name)}=${encode(one)}`);

const GARBAGE_CREDENTIALS = [
  ...words('|Bearer|Bearer |Bearer  x|bearer st_|Bearer pk_00000000|Bearer a b|Basic dXNlcjpwYXNz|Basic ÿ|null'),
  'Digest username="x"',
  `Bearer st_${'a'.repeat(2_000)}`,
  "Bearer ' or 1=1 --",
  'Bearer \u0080\u00ff',
];

function words(text: string): string[] {
  return text.split('|');
}

function authorizations(tokens: readonly string[]): fc.Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...GARBAGE_CREDENTIALS) },
    ...(tokens.length > 0
      ? [{ weight: 6, arbitrary: fc.constantFrom(...tokens).map((token) => `Bearer ${token}`) }]
      : []),
  );
}

function validPayloads({ schema, required }: NonNullable<Operation['body']>): fc.Arbitrary<string | undefined> {
  const around = fc.constantFrom('', '\ufeff', ' \r\n\t');
  const written = fc.tuple(around, validValue(schema)).map(([before, value]) => `${before}${writeJson(value)}`);
  return required ? written : fc.oneof({ weight: 3, arbitrary: written }, fc.constantFrom(undefined, '', 'null', '{}'));
}

/** Numbers that JavaScript cannot represent are marked text until here. */
const writeJson = (value: unknown): string =>
  JSON.stringify(value)?.replaceAll(/"@number:([^"]+)"/g, '$1') ?? 'undefined';

/** No number and no boolean, though some of them look like one to JavaScript. */
const NO_VALUES = words('ten|1,5|[]|true1|--1|1e400|-1e400|Infinity|NaN').map((word) => fc.constant(refused(word)));

const asText: Disturb = (schema) => [
  ...(['integer', 'number', 'boolean'].includes(String(schema.type)) ? NO_VALUES : []),
  ...flawsWithinType(schema),
];

function flawTwists({ parameters, body }: Operation): fc.Arbitrary<Twist>[] {
  const ofParameters = parameters.map((parameter) =>
    disturbedValue(schemaOf(parameter), asText).map((candidate) => setParameter(parameter, candidate)),
  );
  return body ? [...ofParameters, ...Array(3).fill(disturbedValue(body.schema, flawsOf).map(setBody))] : ofParameters;
}

function setParameter({ in: place, name }: Parameter, { value, expect }: Candidate): Twist {
  return (draft) => {
    if (place === 'path') return { ...draft, expect, path: { ...draft.path, [name]: encode(value) } };
    // Headers are not decoded, so an encoded value arrives as another text.
    if (place === 'header')
      return addHeader(name, encode(value), encode(value) === String(value) ? expect : 'open')(draft);
    const others = draft.query.filter((pair) => !pair.startsWith(`${encode(name)}=`));
    return { ...draft, expect, query: [...others, ...pairs(name, value)] };
  };
}

/** A body of `null` counts as a body without fields, which the schema does not say. */
const setBody =
  ({ value, expect }: Candidate): Twist =>
  (draft) => ({ ...draft, payload: writeJson(value), expect: value === null ? 'open' : expect });

/** Values that no database can store, or that only an attacker sends. They are refused everywhere. */
const UNSTORABLE = [
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00',
  '\udc00\ud800',
  ...['{"__proto__":{"admin":true}}', '[[{"\\u0000":1}]]', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`].map(readJson),
];

const TEXTS = [
  ...words(`__proto__|constructor|undefined|1e400|0x10|'; drop table tasks; --|" or ""="|%_%|\\|{{7*7}}|٣٤|İıﬀß`),
  ...words('<script>alert(1)</script>|../../../../etc/passwd|C:\\..\\|file:///etc/passwd|x\r\nSet-Cookie: a=b'),
  'שלום عالم',
  '\u202eevil\u202c',
  '👩‍👩‍👧🏳️‍🌈',
  `a${'\u0301'.repeat(200)}`,
  '\ufeff\u200b\u2028\u0085',
  'x'.repeat(1_000),
];

const VALUES = [
  ...TEXTS,
  ...words(`1e400|-1e400|-0|1e-400|9007199254740993|${'9'.repeat(400)}|1.0`).map((digits) => `@number:${digits}`),
  2 ** 63,
  -(2 ** 31) - 1,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
  true,
  null,
  [],
  {},
  [{}],
  'x'.repeat(100_000),
  ...['{"toJSON":1,"then":1,"length":-1,"hasOwnProperty":null}', '{"constructor":{"prototype":{"a":1}}}'].map(readJson),
  readJson(`${'['.repeat(30)}${']'.repeat(30)}`),
  Array(2_000).fill(0),
  Array(50).fill({}),
  Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`k${index}`, index])),
];

/** Bytes that are not a JSON document, or an unusual one. */
const RAW_BODIES = [
  ...words(`|null|5|"x"|[]|[{}]|true|{|{}}|{'a':1}|{"a":1,}|{"a":NaN}|\0|//|{"":1}|a=x&b=y|<a/>`),
  '{"title":"a","title":2}',
  '--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--x--',
  `{"title":"x","recurrence":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
  `{"title":"${'x'.repeat(2 ** 20)}"}`,
  '['.repeat(50_000),
  ...['ff', '22c08022', '22eda08022', 'fffe7b007d00', 'efbb'].map((hex) => Buffer.from(hex, 'hex')),
];

const TYPES = [
  ...words('text/plain|application/x-www-form-urlencoded|multipart/form-data|nonsense||;|/|*/*|application/json;|ÿ|"'),
  ...words(
    'APPLICATION/JSON|application/json; charset=utf-16|application/jsonx|application/json, text/plain|text/json',
  ),
  ['application/json', 'text/plain'],
];

const SEGMENTS = [
  ...words(
    '%|%zz|%0|%00|%2e|%2e%2e|.|..|%2F|..%2f..%2f|%5c|%C0%80|%ED%A0%80|%ff|%u0041|%2500|%0d%0aX:1|%F0%9F|//|;a=b|+',
  ),
  ...words("%20|?|#|*|:|@|{}|\\|ÿ|__proto__|constructor|null|-1|0|1e400|'--|<b>"),
  'x'.repeat(101),
  '9'.repeat(2_000),
];

const QUERIES = [
  ...words('=|&|&&&|?|==|%|%zz=%zz|%00|%00=1|__proto__=1|__proto__[a]=1|constructor=1|a[]=1|a[b][c]=1|a.b=1|toString'),
  ...words('hasOwnProperty=1|%ED%A0%80=%C0%80|#|;a=1;b=2|+|ÿ=ÿ|%F0%9F=%9F'),
  'a=1&'.repeat(500),
  `a=${'x'.repeat(3_000)}`,
];

/** One per line, and each of them legal HTTP, so that the same requests can go over a socket. */
const HEADERS = `x-forwarded-for: 1.2.3.4, , unknown, ::ffff:1.2.3.4
x-forwarded-host: evil.example
x-forwarded-proto: javascript
host: evil.example:99999
accept: text/html;q=nonsense
accept-encoding: gzip;q=-1, *
accept-version: 2.x
content-encoding: gzip
if-none-match: *
if-modified-since: yesterday
range: bytes=0-1,9-
origin: null
cookie: a=b; __proto__=1; =
x-http-method-override: DELETE
x-request-id: ${'x'.repeat(1_000)}
expect: 100-continue
__proto__: x
content-length: many
content-length: 3
content-length: 99999999999`;

function readJson(text: string): unknown {
  return JSON.parse(text);
}

const UNITS = fc.array(fc.integer({ min: 1, max: 0xffff }), { maxLength: 20 });
const NOISE = UNITS.map((units) => String.fromCharCode(...units));

const hostileHere: Disturb = () => [
  fc.constantFrom(...UNSTORABLE).map(refused),
  fc.constantFrom(...VALUES).map(open),
  fc.oneof(NOISE, fc.jsonValue({ stringUnit: 'binary' })).map(open),
];

function hostileTwists({ parameters, body }: Operation): fc.Arbitrary<Twist>[] {
  const text = fc.oneof(
    fc.constantFrom('\0', 'a\0b').map(refused),
    fc.oneof(fc.constantFrom(...TEXTS), NOISE).map(open),
  );
  const ofParameters = parameters.flatMap((parameter) => [
    text.map((candidate) => setParameter(parameter, candidate)),
    fc.constantFrom(...SEGMENTS).map((raw) => setRawParameter(parameter, raw)),
  ]);
  const ofBody = [
    fc.constantFrom(...RAW_BODIES).map((payload) => change({ payload })),
    fc.nat(200).map((at) => changePayload((payload) => payload?.slice(0, at))),
    fc.nat(200).map((at) => changePayload((payload) => spoil(payload, at))),
    fc.constantFrom(...TYPES).map((type) => addHeader('content-type', type)),
    ...(body ? Array<fc.Arbitrary<Twist>>(6).fill(disturbedValue(body.schema, hostileHere).map(setBody)) : []),
  ];
  return [...ofParameters, ...ofBody, ...TWISTS_OF_THE_FRAME];
}

const change =
  (part: Partial<Draft>): Twist =>
  (draft) => ({ ...draft, expect: 'open', ...part });

const changePayload =
  (alter: (payload: Draft['payload']) => Draft['payload']): Twist =>
  (draft) => ({ ...draft, expect: 'open', payload: alter(draft.payload) });

const addHeader =
  (name: string, value: string | string[], expect: Expectation = 'open'): Twist =>
  (draft) => ({ ...draft, expect, headers: { ...draft.headers, [name]: value } });

const addQuery =
  (pair: string): Twist =>
  (draft) => ({ ...draft, expect: 'open', query: [...draft.query, pair] });

/** In a query the parameter is added, so it is repeated if it is there already. */
function setRawParameter({ in: place, name }: Parameter, raw: string): Twist {
  if (place === 'query') return addQuery(`${name}=${raw}`);
  if (place === 'header') return addHeader(name, [raw, raw]);
  return (draft) => ({ ...draft, expect: 'open', path: { ...draft.path, [name]: raw } });
}

/** Puts a byte that is invalid in UTF-8 into the body. */
function spoil(payload: Draft['payload'], at: number): Buffer {
  const bytes = Buffer.from(payload ?? '');
  return Buffer.concat([bytes.subarray(0, at), Buffer.of(0xff), bytes.subarray(at)]);
}

const TWISTS_OF_THE_FRAME: fc.Arbitrary<Twist>[] = [
  fc.constantFrom(...METHODS).map((method) => change({ method })),
  fc.constantFrom(...QUERIES).map(addQuery),
  fc.constantFrom(...HEADERS.split('\n')).map((line) => {
    const [name = '', value = ''] = line.split(': ');
    return addHeader(name, value);
  }),
  fc.constantFrom('authorization', 'accept', 'x-twice').map((name) => addHeader(name, ['Bearer a', 'b'])),
];
