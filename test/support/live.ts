/** A browser that listens for changes, without the web app. */
import assert from 'node:assert/strict';
import { waitUntil } from './wait-until.ts';

export interface Listener extends AsyncDisposable {
  /** How many changes it was told of. The first message, which every stream begins with, does not count. */
  readonly heard: number;
  readonly keptAlive: number;
  /** Resolves when it has been told once more than at the last call. */
  hears(): Promise<void>;
  /** Resolves when the service has ended the stream. */
  readonly ended: Promise<void>;
}

export const asApp = (sessionToken: string) => ({
  cookie: `crescendo-session=${sessionToken}`,
  'x-crescendo-app': '1',
});

/** Resolves when the stream is open: every later change is told. */
export async function listenAs(origin: string, sessionToken: string): Promise<Listener> {
  const left = new AbortController();
  const response = await fetch(`${origin}/app/live`, { headers: asApp(sessionToken), signal: left.signal });
  assert.equal(response.status, 200, `no stream: ${response.status}`);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  let [messages, awaited, keptAlive, isEnded] = [0, 1, 0, false];
  const read = async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      keptAlive += chunk.split(': still here\n\n').length - 1;
      messages += chunk.split('data: changed\n\n').length - 1;
    }
  };
  const reading = read()
    .catch(() => undefined)
    .finally(() => {
      isEnded = true;
    });
  await waitUntil(() => messages > 0 || isEnded);
  return {
    get heard() {
      return messages - 1;
    },
    get keptAlive() {
      return keptAlive;
    },
    get ended() {
      return waitUntil(() => isEnded);
    },
    hears: async () => {
      awaited += 1;
      await waitUntil(() => messages >= awaited);
      awaited = messages;
    },
    [Symbol.asyncDispose]: async () => {
      left.abort();
      await reading;
    },
  };
}
