const CHECK_EVERY_MS = 10;
/** Only a failing test waits this long. */
const TIMEOUT_MS = 30_000;

/** Polls for changes that send no signal: a row that another process writes, the state of a browser. */
export async function waitUntil(isTrue: () => Promise<boolean> | boolean, timeoutMs = TIMEOUT_MS): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`Still false after ${timeoutMs} ms: ${isTrue}`);
    await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS));
  }
}
