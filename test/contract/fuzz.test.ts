/**
 * Sends generated requests, valid and invalid, to every operation of the API description. A failure prints the
 * smallest request found and a seed. `CRESCENDO_FUZZ_SEED=… npm test -- fuzz` repeats it;
 * `CRESCENDO_FUZZ_RUNS` sets the number of requests per engine.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { sql } from 'kysely';
import { POOL_SIZE } from '../../src/db/postgres/postgres.ts';
import { isPostgres } from '../../src/db/schema.ts';
import type { Routes } from '../../src/http/app.ts';
import { SCOPES } from '../../src/lib/caller.ts';
import { errorCatalogue } from '../../src/lib/errors.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { type FuzzRequest, type Operation, readOperations, requestsTo } from '../support/fuzz-input.ts';
import { createPerson } from '../support/people.ts';
import { sampleAccess, sampleRoutes } from '../support/sample.routes.ts';
import { sized } from '../support/size.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const { CRESCENDO_FUZZ_SEED: seed, CRESCENDO_FUZZ_RUNS: runs = sized(20, 10_000) } = process.env;
const SEEDED = seed === undefined ? {} : { seed: Number(seed) };
const RUNS_OVER_A_SOCKET = sized(8, 500);
/** Of three requests to an operation, all may be changed so that another route answers. Of thirty, one is not. */
const [RUNS_TO_BE_HEARD, TRIES_TO_BE_HEARD] = [3, 10];
const RAW_RUNS = sized(10, 500);

/** Configures every feature and raises the rate limit, because 503 and 429 answers would hide other errors. */
const SETTINGS = {
  IDP_AUDIENCE: 'fuzz',
  IDP_JWKS_URL: 'http://127.0.0.1:9/keys',
  BILLING_WEBHOOK_SECRET: 'Bearer the-provider',
  RATE_LIMIT_PER_MINUTE: '100000000',
  LOG_LEVEL: 'silent',
};

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A hostile path may match another route than the intended one, so each answer names its route. */
const signAnswers: Routes = (app) => {
  app.addHook('onSend', async ({ method, routeOptions: { url } }, reply) => {
    if (url !== undefined) reply.header('x-answered-by', `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
  });
};

async function startFuzzApp(engine: EngineName): Promise<TestApp> {
  const late: { app?: TestApp } = {};
  const routes = sampleRoutes(() => {
    if (!late.app) throw new Error('not started');
    return late.app.db;
  });
  const extra = { routes: [routes, signAnswers], access: sampleAccess };
  late.app = await startTestApp(engine, { settings: SETTINGS, extra });
  return late.app;
}

/** A session, which has access to more routes and is used more often, and an access token with every scope. */
async function mintTokens(app: TestApp): Promise<string[]> {
  // By then the throttles of earlier attempts have expired.
  await app.clock.advance('15m');
  const { sessionToken, ask } = await createPerson(app);
  const { body } = await ask('POST', '/v1/tokens', { scopes: SCOPES });
  return [sessionToken, sessionToken, body.data.token];
}

const nameOf = ({ method, path }: Operation) => `${method} ${path}`;

/** Checks an answer against the description of its route. */
class Judge {
  readonly #heard = new Set<string>();
  readonly #successes = new Map<string, ValidateFunction>();
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
  readonly operations: readonly Operation[];

  constructor(document: AnySchemaObject) {
    this.operations = readOperations(document);
    this.#ajv.addSchema(document, 'openapi.json');
    for (const operation of this.operations.filter(({ answersJson }) => answersJson)) {
      this.#successes.set(nameOf(operation), this.#compileSuccess(operation));
    }
  }

  judgeAnswerTo({ operation, expect }: FuzzRequest, answer: Answer): void {
    this.judge(answer);
    const atItsAddress = answer.headers['x-answered-by'] === nameOf(operation);
    if (expect === 'refused' && atItsAddress) assert.notEqual(answer.status, 200, 'invalid input was accepted');
    // Another route may refuse the request for reasons of its own.
    const takesAllThatIsValid = operation.path.startsWith('/v1/samples');
    if (expect === 'accepted' && takesAllThatIsValid) assert.equal(answer.status, 200, `valid, but: ${answer.body}`);
  }

  judge({ status, headers, body }: Answer): void {
    const seen = `${status} ${headers['content-type']} ${body.slice(0, 500)}`;
    assert.ok(status < 500, seen);
    const answeredBy = headers['x-answered-by'];
    this.#heard.add(String(answeredBy));
    const success = this.#successes.get(String(answeredBy));
    // Pages and the description itself are not operations, and a file or a feed has no envelope.
    if (answeredBy !== undefined && !success) return;
    assert.match(String(headers['content-type']), /^application\/json(;|$)/, seen);
    const told: unknown = JSON.parse(body);
    assert.ok(isRecord(told), seen);
    if (status === 422) assertProblems(told);
    else if (status === 200) assertSuccess(told, success);
    else assertFailure(status, told);
  }

  /** Operations that no answer came from: each request to them was changed so that another route answered. */
  get unheard(): readonly Operation[] {
    return this.operations.filter((operation) => !this.#heard.has(nameOf(operation)));
  }

  #compileSuccess({ method, path }: Operation): ValidateFunction {
    const pointer = encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
    const answer = `openapi.json#/paths/${pointer}/${method.toLowerCase()}/responses/200`;
    return this.#ajv.compile({ $ref: `${answer}/content/application~1json/schema` });
  }
}

function assertSuccess(told: Record<string, unknown>, described: ValidateFunction | undefined): void {
  assert.deepEqual({ ...told, data: null }, { ok: true, data: null, error: null });
  assert.ok(described?.(told), `not as described: ${JSON.stringify({ told, errors: described?.errors })}`);
}

function assertFailure(status: number, told: Record<string, unknown>): void {
  const { error, ...rest } = told;
  assert.deepEqual(rest, { ok: false, data: null });
  const [, code = ''] = /^([a-z_]+): ./.exec(String(error)) ?? [];
  assert.equal(Object.entries(errorCatalogue).find(([known]) => known === code)?.[1].status, status, String(error));
}

function assertProblems({ detail, ...others }: Record<string, unknown>): void {
  assert.deepEqual(others, {});
  assert.ok(Array.isArray(detail) && detail.length >= 1 && detail.length <= 20, JSON.stringify(detail));
  for (const { type, loc, msg, ...rest } of detail) {
    assert.deepEqual([typeof type, typeof msg, rest], ['string', 'string', {}]);
    assert.match(String(loc[0]), /^(body|query|path|header)$/);
    assert.ok(
      loc.every((step: unknown) => typeof step === 'string' || Number.isInteger(step)),
      JSON.stringify(loc),
    );
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

interface Client {
  ask(request: FuzzRequest): Promise<Answer>;
  close(): void;
}

const injectInto = ({ fastify }: TestApp): Client => ({
  ask: async ({ method, url, headers, payload }) => {
    const response = await fastify.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
    return { status: response.statusCode, headers: response.headers, body: response.body };
  },
  close: () => undefined,
});

/** The Content-Length is always correct: for a body that never arrives, the service rightly waits. */
function connectTo(port: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async ({ method, url, payload = '', ...asked }: FuzzRequest): Promise<Answer> => {
    const headers = { ...asked.headers, 'content-length': Buffer.byteLength(payload) };
    const request = httpRequest({ host: '127.0.0.1', port, agent, method, path: url, headers }).end(payload);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
  };
  return { ask, close: () => agent.destroy() };
}

/** Sends the bytes, ends its side of the connection, and returns everything received until the service closes it. */
async function sayOverSocket(port: number, said: string): Promise<Answer[]> {
  const socket = connect(port, '127.0.0.1');
  const received: Uint8Array[] = [];
  const closed = Promise.withResolvers<void>();
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  // A reset connection counts as an answer too.
  socket.on('error', () => undefined).on('close', closed.resolve);
  socket.setTimeout(5_000, () => {
    closed.reject(new Error('the service did not close the connection'));
    socket.destroy();
  });
  socket.end(said, 'latin1');
  await closed.promise;
  const answers = Buffer.concat(received)
    .toString('latin1')
    .split(/(?=HTTP\/1\.1 \d{3} )/);
  return answers.filter((answer) => answer !== '').map(readAnswer);
}

function readAnswer(bytes: string): Answer {
  const [head = '', ...rest] = bytes.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => line.split(': ', 2)).map(([name = '', value]) => [name.toLowerCase(), value]);
  const body = Buffer.from(rest.join('\r\n\r\n'), 'latin1').toString('utf8');
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body };
}

/** Asserts that no handle is left open, and that no promise was rejected without a handler. */
async function leavingNothingBehind({ db }: TestApp, work: () => Promise<void>): Promise<void> {
  // Transactions at the same time open all connections of the database pool first, which stay open.
  if (isPostgres(db)) {
    const waits = () => db.transaction().execute((trx) => sql`select 1`.execute(trx));
    await Promise.all(Array.from({ length: POOL_SIZE }, waits));
  }
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => unheard.push(reason);
  process.on('unhandledRejection', hear);
  const earlier = countOpen();
  try {
    await work();
    await comeToRest(earlier);
  } finally {
    process.off('unhandledRejection', hear);
  }
  assert.deepEqual(unheard, []);
  assert.deepEqual(grownSince(earlier), [], `earlier there were ${JSON.stringify(earlier)}`);
}

/** Closing takes a few turns of the event loop, far less than a leaked handle would stay open. */
async function comeToRest(earlier: Record<string, number>): Promise<void> {
  const patience = AbortSignal.timeout(15_000);
  do await new Promise(setImmediate);
  while (grownSince(earlier).length > 0 && !patience.aborted);
}

const grownSince = (earlier: Record<string, number>) =>
  Object.entries(countOpen()).filter(([kind, count]) => count > (earlier[kind] ?? 0));

function countOpen(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

const HEAD = 'GET /health HTTP/1.1\r\nHost: x\r\n';
const POST = 'POST /v1/samples HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

const NEARLY_HTTP = [
  `${HEAD}\r\n`,
  `${HEAD}\r\n${HEAD}\r\n`,
  `${POST}Content-Length: 13\r\n\r\n{"title":"x"}`,
  `${POST}Content-Length: 99\r\n\r\n{"title":"x"}`,
  `${POST}Content-Length: 2\r\n\r\n{"title":"x"}`,
  `${POST}Content-Length: -1\r\n\r\n`,
  `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
  `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\nd\r\n{"title":"x"}\r\n0\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{"title":"x"}\r\n`,
  `${POST}Transfer-Encoding: gzip\r\n\r\n`,
  `${HEAD}Expect: a miracle\r\n\r\n`,
  `${HEAD}Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  `${HEAD}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: \r\n\r\n`,
  `${HEAD}X: a\r\n folded\r\n\r\n`,
  `${HEAD}X: \0\r\n\r\n`,
  `${HEAD}X : 1\r\n\r\n`,
  `${HEAD}Host: y\r\n\r\n`,
  `${HEAD}X: ${'a'.repeat(20_000)}\r\n\r\n`,
  `${HEAD}${'X: a\r\n'.repeat(3_000)}\r\n`,
  'GET /health HTTP/1.1\r\n\r\n',
  'GET /health\r\n\r\n',
  'GET /health HTTP/9.9\r\n\r\n',
  'GET /health HTTP/1.0\r\n\r\n',
  'GET http://elsewhere.example/health HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET * HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET health HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'TRACE /health HTTP/1.1\r\nHost: x\r\n\r\n',
  'PROPFIND /health HTTP/1.1\r\nHost: x\r\n\r\n',
  'BREW /health HTTP/1.1\r\nHost: x\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03',
  '\r\n\r\n\r\n',
  '',
];

/** A complete request, a truncated one, one with replaced bytes, or random bytes. Each character is one byte. */
const BYTE = fc.nat(255).map((code) => String.fromCharCode(code));
const GARBLED = fc.oneof(
  fc.constantFrom(...NEARLY_HTTP),
  fc.tuple(fc.constantFrom(...NEARLY_HTTP), fc.nat(200)).map(([said, at]) => said.slice(0, at)),
  fc
    .tuple(fc.constantFrom(...NEARLY_HTTP), fc.array(fc.tuple(fc.nat(120), BYTE), { minLength: 1, maxLength: 4 }))
    .map(([said, changes]) =>
      changes.reduce((made, [at, byte]) => made.slice(0, at) + byte + made.slice(at + 1), said),
    ),
  fc.string({ unit: BYTE, maxLength: 300 }),
);

onEveryEngine((engine, it) => {
  let app: TestApp;
  let judge: Judge;
  let port: number;
  before(async () => {
    app = await startFuzzApp(engine);
    judge = new Judge((await app.fastify.inject({ url: '/openapi.json' })).json());
    port = Number(new URL(await app.fastify.listen({ port: 0, host: '127.0.0.1' })).port);
  });
  after(() => app[Symbol.asyncDispose]());

  /** Spreads the requests evenly over the operations. */
  async function fuzz(total: number, connect: () => Client, operations = judge.operations): Promise<void> {
    const numRuns = Math.ceil(total / operations.length);
    let tokens: string[] | undefined;
    for (const operation of operations) {
      const isBilling = operation.path === '/v1/webhooks/billing';
      tokens ??= await mintTokens(app);
      const requests = requestsTo(operation, isBilling ? ['the-provider'] : tokens);
      // What reads ends no session and no token.
      if (operation.method !== 'GET') tokens = undefined;
      await leavingNothingBehind(app, async () => {
        const client = connect();
        const answered = fc.asyncProperty(requests, async (request) =>
          judge.judgeAnswerTo(request, await client.ask(request)),
        );
        await fc.assert(answered, { numRuns, ...SEEDED }).finally(() => client.close());
      });
    }
  }

  test('for any request the answer matches the API description, and nothing is left open', async () => {
    await fuzz(Number(runs), () => injectInto(app));
    for (let tries = 0; judge.unheard.length > 0 && tries < TRIES_TO_BE_HEARD; tries += 1)
      await fuzz(judge.unheard.length * RUNS_TO_BE_HEARD, () => injectInto(app), judge.unheard);
    assert.deepEqual(judge.unheard.map(nameOf), []);
  });

  it('over a real connection the answers are as well-formed, and every connection is closed', async () => {
    await fuzz(RUNS_OVER_A_SOCKET, () => connectTo(port));
  });

  it('malformed HTTP is refused in the envelope or disconnected, and the service keeps working', async () => {
    const survived = fc.asyncProperty(GARBLED, async (said) => {
      for (const answer of await sayOverSocket(port, said)) judge.judge(answer);
    });
    const examples = NEARLY_HTTP.map((said): [string] => [said]);
    await leavingNothingBehind(app, () => fc.assert(survived, { numRuns: RAW_RUNS, examples, ...SEEDED }));
    assert.equal((await app.fastify.inject({ url: '/health' })).statusCode, 200);
  });
});
