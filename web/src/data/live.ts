/**
 * Hears from the service that something changed elsewhere, and syncs. The service says no more than that, so a message
 * that gets lost only waits for the next poll of `sync.ts`.
 *
 * The visible page that has the lock listens, and tells the others. Of the hidden pages one listens too, because a nudge
 * is announced in a tab that nobody looks at; it has a lock of its own, since a browser may freeze it without taking the
 * lock from it. So a browser has at most two streams. Over plain http there are no locks: every visible page listens for
 * itself, and hidden ones poll, because browsers open six connections to such a service at most.
 */
import { request } from '../api/call.ts';
import { clearSessionIfExpired } from './query-client.ts';
import { isSignedIn } from './session.ts';
import { refresh, syncAgain } from './sync.ts';

const NAME = 'crescendo-live';
const HIDDEN_NAME = 'crescendo-live-hidden';
const HAS_LOCKS = 'locks' in navigator;
/** Twice as long as the service is ever silent. A silent connection may have ended without saying so. */
const SILENT_MS = 60_000;
/** A stream that lasted this long does not count as a failure. */
const STEADY_MS = 60_000;
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [1_000, 60_000];
/** Between two syncs while changes keep coming. */
const GAP_MS = 500;

const others = new BroadcastChannel(NAME);
// Set before the first sync: its answer may lack a change that another page reports while this one starts.
others.onmessage = () => void catchUp();
let listening: AbortController | undefined;
/** When the first stream opens, the page has just read everything that it shows. */
let isFirstStream = true;

export function startLiveUpdates(): void {
  document.addEventListener('visibilitychange', listenAgain);
  isSignedIn.subscribe(listenAgain);
  // Reconnects at once instead of waiting for the next attempt.
  addEventListener('online', listenAgain);
  listenAgain();
}

function listenAgain(): void {
  listening?.abort();
  listening = undefined;
  if (!isSignedIn.value) isFirstStream = true;
  if (!isSignedIn.value || (isHidden() && !HAS_LOCKS)) return;
  listening = new AbortController();
  const { signal } = listening;
  const run = () => listen(signal);
  const name = isHidden() ? HIDDEN_NAME : NAME;
  // Rejects when the page is hidden or shown while it waits for the lock.
  void (HAS_LOCKS ? navigator.locks.request(name, { signal }, run).catch(() => undefined) : run());
}

const isHidden = (): boolean => document.visibilityState === 'hidden';

/** Connects again and again, later after each failure, and at a random moment: others lost their streams too. */
async function listen(signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const startedAt = Date.now();
    await receive(signal).catch(clearSessionIfExpired);
    failures = Date.now() - startedAt > STEADY_MS ? 1 : failures + 1;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
    await delay(waitMs * (0.5 + Math.random() / 2), signal);
  }
}

/** Resolves when the stream ends. Its first message comes when it is open, so the app syncs after every gap. */
async function receive(signal: AbortSignal): Promise<void> {
  const attempt = new AbortController();
  const stop = () => attempt.abort();
  signal.addEventListener('abort', stop);
  let silence = setTimeout(stop, SILENT_MS);
  try {
    const { body } = await request('/app/live', { signal: attempt.signal });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; ; ) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(stop, SILENT_MS);
      const messages = (text + value).split('\n\n');
      text = messages.pop() ?? '';
      const told = messages.filter((message) => message.startsWith('data:')).length;
      if (told === 0) continue;
      others.postMessage('changed');
      void catchUp(isFirstStream && told === 1 ? syncAgain : refresh);
      isFirstStream = false;
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', stop);
  }
}

let isChanged = false;
let isCatchingUp = false;

/**
 * Reads again what this page shows, or, in a page that was just opened, only the changes since. While changes keep
 * coming, as from an agent at work, only sync is repeated, and the rest follows at the end. A hidden page only syncs, and
 * reads the rest when it is shown.
 */
async function catchUp(read = refresh): Promise<void> {
  isChanged = true;
  if (isCatchingUp) return;
  isCatchingUp = true;
  let [next, isBehind] = [read, false];
  for (;;) {
    isChanged = false;
    // While the page is hidden, a read that failed is not repeated before it is shown, and must not stop later ones.
    await Promise.race([isHidden() ? syncAgain() : next(), delay(SILENT_MS)]);
    await delay(GAP_MS);
    if (!isChanged && !isBehind) break;
    isBehind = isChanged;
    next = isBehind ? syncAgain : refresh;
  }
  isCatchingUp = false;
}

/** Resolves at once if the signal fires. */
const delay = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve();
    setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
