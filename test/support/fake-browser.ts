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
}

/** Shared, because the app opens its database once. */
export const database = new FakeDatabase();

/** The channel by which pages and the worker tell each other that they have sent something. */
class SilentChannel {
  onmessage: unknown;
  postMessage(): void {}
}

const MOST_REQUESTS = 100;

class FakeBrowser {
  readonly requests: FakeRequest[] = [];
  respond: Respond = () => ({ data: { id: 'stored' } });

  /** What was asked of the service, in order. */
  get asked(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${path}`);
  }

  readonly fetch = async (path: string, { method = 'GET', body, headers = {} }: RequestInit): Promise<Response> => {
    const key = new Headers(headers).get('idempotency-key');
    const request = { method, path, body: body === undefined ? undefined : JSON.parse(String(body)), key };
    this.requests.push(request);
    // What is sent again and again must not keep a test from failing.
    const answer = this.requests.length > MOST_REQUESTS ? 'offline' : await this.respond(request);
    if (answer === 'offline') throw new TypeError('Failed to fetch');
    const { status = 200, data = null, error = null } = answer;
    return Response.json({ ok: status < 400, data, error }, { status });
  };
}

/** A test with a browser in the place of globals that Node lacks or has otherwise. They are put back after it. */
export function testInBrowser(name: string, run: (browser: FakeBrowser) => Promise<void>, more: object = {}): void {
  test(name, async (context) => {
    const browser = new FakeBrowser();
    database.clear();
    const fakes: object = {
      indexedDB: database.factory,
      fetch: browser.fetch,
      BroadcastChannel: SilentChannel,
      location: { origin: 'https://crescendo.test' },
      ...more,
    };
    // A retry that a test leaves behind must not run in the next one.
    context.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2026-03-02T09:00:00Z') });
    const before = Object.keys(fakes).map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)] as const);
    for (const [key, value] of Object.entries(fakes))
      Object.defineProperty(globalThis, key, { value, configurable: true, writable: true });
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
