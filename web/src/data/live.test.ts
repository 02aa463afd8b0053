/** When a page listens, and what it reads when it is told of a change. */
import assert from 'node:assert/strict';
import { settleAll } from '../../../test/support/fake-browser.ts';
import { fakeListeners, page, testInPage } from '../../../test/support/fake-page.ts';

interface Stream {
  readonly tell: (text: string) => void;
  readonly end: () => void;
  readonly signal: AbortSignal;
}

let events = fakeListeners();
const tell = (type: string) => events.tell(type);
/** What is loaded once listens to other tabs, also for the tests of other files. */
const addEventListener = (type: string, listener: () => void) =>
  (type === 'storage' ? page : events).addEventListener(type, listener);
const document = { addEventListener, visibilityState: 'visible' };
const locks: string[] = [];
const told: unknown[] = [];

/** Of other pages of this browser. */
class Channel {
  static newest: Channel | undefined;
  onmessage: (() => void) | undefined;
  constructor() {
    Channel.newest = this;
  }
  postMessage(message: unknown): void {
    told.push(message);
  }
}

const held = new Map<string, Promise<void>>();
/** One holds a lock at a time, and the next one waits until it is let go. */
const request = async (name: string, { signal }: { signal: AbortSignal }, run: () => Promise<void>) => {
  const before = held.get(name);
  const { promise, resolve } = Promise.withResolvers<void>();
  held.set(name, promise);
  await before;
  if (!signal.aborted) {
    locks.push(name.replace('crescendo-live', 'live'));
    await run();
  }
  resolve();
};
const PAGE = {
  addEventListener,
  document,
  BroadcastChannel: Channel,
  navigator: { onLine: true, locks: { request } },
  // The longest of the random waits.
  Math: Object.assign(Object.create(Math), { random: () => 1 }),
};

let pages = 0;
let close = (): void => undefined;

/** Pages share what is signed in, so each test closes its own. */
function testLive(name: string, run: Parameters<typeof testInPage>[1], more: object = {}): void {
  const runAlone: typeof run = (browser) => run(browser).finally(() => close());
  testInPage(name, runAlone, { ...PAGE, ...more });
}

/** A page of Ada that has read everything it shows. `open` is what the service does with a stream. */
async function openPage(open: () => Response | Promise<Response> | undefined = () => undefined) {
  pages += 1;
  held.clear();
  events = fakeListeners();
  for (const list of [locks, told]) list.length = 0;
  document.visibilityState = 'visible';
  const streams: Stream[] = [];
  const fetchOther = globalThis.fetch;
  const fetch = (address: string | Request, init: RequestInit = {}) => {
    if (address !== '/app/live') return fetchOther(address, init);
    let source: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        source = controller;
      },
    });
    const signal = init.signal as AbortSignal;
    signal.addEventListener('abort', () => source.error(signal.reason));
    const bytes = (text: string) => new TextEncoder().encode(text);
    streams.push({ tell: (text) => source.enqueue(bytes(text)), end: () => source.close(), signal });
    return open() ?? new Response(body);
  };
  Object.assign(globalThis, { fetch });
  const { queryClient } = await import('./query-client.ts');
  const { isSignedIn } = await import('./session.ts');
  queryClient.clear();
  isSignedIn.set(true);
  queryClient.setQueryData(['sync'], { tasks: {}, settings: { id: 'ada' }, since: '' });
  queryClient.setQueryData(['spaces'], []);
  const stale = () => {
    const names = [['sync'], ['spaces']].filter((queryKey) => queryClient.getQueryState(queryKey)?.isInvalidated);
    for (const [name = ''] of [['sync'], ['spaces']])
      queryClient
        .getQueryCache()
        .find({ queryKey: [name] })
        ?.setState({ isInvalidated: false });
    return names.flat();
  };
  const live: typeof import('./live.ts') = await import(`./live.ts?page=${pages}`);
  const { subscribe } = isSignedIn;
  Object.assign(isSignedIn, {
    subscribe: (listener: () => void) => {
      const stop = subscribe(listener);
      close = () => {
        isSignedIn.set(false);
        stop();
      };
      return stop;
    },
  });
  live.startLiveUpdates();
  Object.assign(isSignedIn, { subscribe });
  await settleAll();
  return { streams, stale, isSignedIn };
}

testLive(
  'a change that is told is read by this page and told to the others, however the message is cut',
  async (browser) => {
    const { streams, stale } = await openPage();
    assert.deepEqual(locks, ['live']);
    streams[0]?.tell('data: open\n\n');
    await settleAll();
    assert.deepEqual(stale(), ['sync'], 'what the page has just read is not read again');
    assert.deepEqual(told, ['changed']);
    await browser.pass(500);
    streams[0]?.tell(':still here\n\ndata: chan');
    await settleAll();
    assert.deepEqual([stale(), told.length], [[], 1]);
    streams[0]?.tell('ged\n\n');
    await settleAll();
    assert.deepEqual([stale(), told.length], [['sync', 'spaces'], 2]);
    await browser.pass(500);
    Channel.newest?.onmessage?.();
    await settleAll();
    assert.deepEqual([stale(), told.length], [['sync', 'spaces'], 2], 'what another page told is not told again');
  },
);

testLive(
  'while changes keep coming only tasks are read again, and the rest at the end; a hidden page reads the rest when it is shown',
  async (browser) => {
    const { streams, stale } = await openPage();
    const change = async () => {
      streams.at(-1)?.tell('data: changed\n\n');
      await settleAll();
    };
    await change();
    await browser.pass(500);
    stale();
    await change();
    assert.deepEqual(stale(), ['sync', 'spaces']);
    await change();
    assert.deepEqual(stale(), [], 'not at once');
    await browser.pass(500);
    assert.deepEqual(stale(), ['sync']);
    await change();
    await browser.pass(500);
    assert.deepEqual(stale(), ['sync']);
    await browser.pass(500);
    assert.deepEqual(stale(), ['sync', 'spaces'], 'at the end');
    await browser.pass(500);
    assert.deepEqual(stale(), []);

    document.visibilityState = 'hidden';
    tell('visibilitychange');
    await settleAll();
    assert.equal(streams[0]?.signal.aborted, true);
    assert.deepEqual(locks, ['live', 'live-hidden']);
    await change();
    assert.deepEqual(stale(), ['sync']);
    await browser.pass(500);
    document.visibilityState = 'visible';
    tell('visibilitychange');
    await settleAll();
    await change();
    assert.deepEqual(stale(), ['sync', 'spaces']);
  },
);

testLive(
  'a stream that is silent for a minute is opened again, and each failure waits longer than the one before, up to a minute',
  async (browser) => {
    const { streams } = await openPage();
    await browser.pass(40_000);
    streams[0]?.tell(':still here\n\n');
    await settleAll();
    await browser.pass(59_000);
    assert.deepEqual([streams.length, streams[0]?.signal.aborted], [1, false]);
    await browser.pass(1_000);
    assert.equal(streams[0]?.signal.aborted, true);
    // It was steady, so it counts as the first failure.
    await browser.pass(1_000);
    assert.equal(streams.length, 2);
    await browser.pass(60_000);
    assert.equal(streams[1]?.signal.aborted, true, 'one that never said anything');
    await browser.pass(2_000);
    for (const [index, seconds] of [4, 8, 16, 32, 60, 60].entries()) {
      streams.at(-1)?.end();
      await settleAll();
      await browser.pass(seconds * 1_000 - 1);
      assert.equal(streams.length, index + 3, `${seconds} s`);
      await browser.pass(1);
      assert.equal(streams.length, index + 4, `${seconds} s`);
    }
    streams.at(-1)?.end();
    await settleAll();
    tell('online');
    await settleAll();
    assert.equal(streams.length, 10, 'with the network it does not wait');
    await browser.pass(59_000);
    assert.equal(streams.length, 10, 'the one before waits no more');
  },
);

testLive('a change that comes with the first message of a page is not taken for that message', async () => {
  const { streams, stale } = await openPage();
  streams[0]?.tell('data: open\n\ndata: changed\n\n');
  await settleAll();
  assert.deepEqual(stale(), ['sync', 'spaces']);
});

testLive('a session that has ended ends its stream, and the next one has another', async (browser) => {
  const { streams, isSignedIn, stale } = await openPage();
  streams[0]?.tell('data: open\n\n');
  await settleAll();
  await browser.pass(500);
  isSignedIn.set(false);
  await settleAll();
  assert.equal(streams[0]?.signal.aborted, true);
  await browser.pass(120_000);
  assert.equal(streams.length, 1);
  isSignedIn.set(true);
  await settleAll();
  assert.equal(streams.length, 2);
  stale();
  streams[1]?.tell('data: open\n\n');
  await settleAll();
  assert.deepEqual(stale().slice(1), [], 'it has just read everything');
});

testLive('a stream that is refused because the session has ended signs out', async (browser) => {
  browser.respond = () => ({ status: 401, error: 'unauthenticated: Sign in.' });
  const refused = () => Response.json({ error: 'unauthenticated: Sign in.' }, { status: 401 });
  const { isSignedIn, streams } = await openPage(refused);
  await settleAll();
  assert.equal(isSignedIn.value, false);
  await browser.pass(120_000);
  assert.equal(streams.length, 1);
});

testLive(
  'over plain http every visible page listens, and a hidden one does not, because connections are few',
  async () => {
    const { streams } = await openPage();
    assert.equal(streams.length, 1);
    document.visibilityState = 'hidden';
    tell('visibilitychange');
    await settleAll();
    assert.deepEqual([streams.length, streams[0]?.signal.aborted], [1, true]);
    document.visibilityState = 'visible';
    tell('visibilitychange');
    await settleAll();
    assert.equal(streams.length, 2);
  },
  { navigator: { onLine: true } },
);
