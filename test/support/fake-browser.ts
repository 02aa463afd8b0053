/** What the app’s queue and its service worker use of a browser, for tests that run them without one. */
import { test } from 'node:test';

type Verb = 'get' | 'list' | 'put' | 'remove';

/** IndexedDB, as far as `local-database.ts` uses it. */
class FakeDatabase {
  readonly #stores = new Map<string, Map<string, unknown>>();
  /** Called before each step with the name of its store as it is in the database. Delays it, or makes it fail. */
  before: (store: string, verb: Verb) => Promise<void> | undefined = () => undefined;

  rows(store: string): Map<string, unknown> {
    return this.#stores.getOrInsertComputed(store, () => new Map());
  }

  clear(): void {
    this.#stores.clear();
    this.before = () => undefined;
  }

  readonly factory = {
    open: () => succeeding({ result: { transaction: (store: string) => this.#transaction(store) } }),
  };

  #transaction(store: string) {
    const transaction: Record<string, unknown> = { error: new Error('The transaction failed.') };
    const step = (verb: Verb, run: () => unknown) => {
      const request: { result?: unknown } = {};
      const settle = async () => {
        try {
          await this.before(store, verb);
          request.result = structuredClone(run());
          (transaction.oncomplete as () => void)();
        } catch {
          (transaction.onabort as () => void)();
        }
      };
      void settle();
      return request;
    };
    const rows = this.rows(store);
    const objectStore = {
      get: (key: string) => step('get', () => rows.get(key)),
      getAll: () => step('list', () => [...rows.values()]),
      put: (value: unknown, key: string) => step('put', () => void rows.set(key, structuredClone(value))),
      delete: (key: string) => step('remove', () => void rows.delete(key)),
      clear: () => step('remove', () => rows.clear()),
    };
    return Object.assign(transaction, { objectStore: () => objectStore });
  }
}

function succeeding<T extends object>(request: T): T {
  queueMicrotask(() => (request as { onsuccess?: () => void }).onsuccess?.());
  return request;
}

interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly key: string | null;
}

/** The service’s answer; `offline` if there is none. */
type Respond = (request: FakeRequest) => Promise<FakeAnswer | 'offline'> | FakeAnswer | 'offline';

interface FakeAnswer {
  readonly status?: number;
  readonly data?: unknown;
  readonly error?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Shared, because the app opens its database once. */
export const database = new FakeDatabase();

/** The channel by which pages and the worker tell each other that they have sent something. */
class SilentChannel {
  static readonly told: unknown[] = [];
  onmessage: unknown;
  postMessage(message: unknown): void {
    SilentChannel.told.push(message);
  }
}

const ORIGIN = 'https://crescendo.test';
const MOST_REQUESTS = 100;

class FakeBrowser {
  readonly requests: FakeRequest[] = [];
  /** What was told to other pages. */
  readonly told = SilentChannel.told;
  respond: Respond = () => ({ data: { id: 'stored' } });
  /** Lets time go by, and waits for what begins then. */
  readonly pass: (ms: number) => Promise<void>;

  constructor(tick: (ms: number) => void) {
    this.pass = async (ms) => {
      tick(ms);
      await settleAll();
    };
  }

  /** What was asked of the service, in order. */
  get asked(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${path}`);
  }

  readonly fetch = async (address: string | Request, init: RequestInit = {}): Promise<Response> => {
    const asked = address instanceof Request ? address : undefined;
    const { method = 'GET', headers = {} } = asked ?? init;
    const text = asked ? await asked.text() : init.body;
    const key = new Headers(headers).get('idempotency-key');
    const body = typeof text === 'string' && text !== '' ? JSON.parse(text) : (text ?? undefined);
    const request = { method, path: asked ? asked.url.slice(ORIGIN.length) : String(address), body, key };
    this.requests.push(request);
    // What is sent again and again must not keep a test from failing.
    const answer = this.requests.length > MOST_REQUESTS ? 'offline' : await this.respond(request);
    if (answer === 'offline') throw new TypeError('Failed to fetch');
    const { status = 200, data = null, error = null, headers: told = {} } = answer;
    return Response.json({ ok: status < 400, data, error }, { status, headers: told });
  };
}

/** A test that waits for what never comes fails, instead of keeping all the others. */
const LONGEST_TEST_MS = 30_000;

/** A test with a browser in the place of globals that Node lacks or has otherwise. They are put back after it. */
export function testInBrowser(name: string, run: (browser: FakeBrowser) => Promise<void>, more: object = {}): void {
  test(name, { timeout: LONGEST_TEST_MS }, async (context) => {
    const browser = new FakeBrowser((ms) => context.mock.timers.tick(ms));
    database.clear();
    browser.told.length = 0;
    const fakes: object = {
      indexedDB: database.factory,
      fetch: browser.fetch,
      BroadcastChannel: SilentChannel,
      location: { origin: ORIGIN },
      // Where Node finds what the relative addresses of a `Request` are relative to.
      [Symbol.for('undici.globalOrigin.1')]: new URL(ORIGIN),
      ...more,
    };
    // A retry that a test leaves behind must not run in the next one.
    context.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2026-03-02T09:00:00Z') });
    const before = Reflect.ownKeys(fakes).map(
      (key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)] as const,
    );
    for (const [key] of before)
      Object.defineProperty(globalThis, key, { value: Reflect.get(fakes, key), configurable: true, writable: true });
    try {
      await run(browser);
    } finally {
      for (const [key, descriptor] of before)
        if (descriptor) Object.defineProperty(globalThis, key, descriptor);
        else Reflect.deleteProperty(globalThis, key);
    }
  });
}

/** Lets what is under way go on until it waits for something outside. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets it go on through the steps of the database and the answers of the service. */
export async function settleAll(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await settle();
}
