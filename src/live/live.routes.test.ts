import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import type { App } from '../http/app.ts';
import { extendHandlerTime } from '../http/handler-timeout.ts';
import { liveRoutes } from './live.routes.ts';
import type { LiveStreams } from './live-streams.ts';

/** As long as any other request may take. */
const HANDLER_TIMEOUT_MS = 30_000;

type Handler = (request: object, reply: object) => Promise<unknown>;

interface Sink {
  write(text: string): void;
}

/** A stream of the app's session, whose browser reads nothing and leaves when `leave` is called. */
async function openStream({ leavesMeanwhile }: { readonly leavesMeanwhile: boolean }) {
  const raw = Object.assign(new EventEmitter(), { destroyed: false, headersSent: true, destroy: (): void => leave() });
  const leave = () => {
    raw.destroyed = true;
    raw.emit('close');
  };
  const sent: Readable[] = [];
  const stream = { isClosed: false, leave, sent, write: (_text: string) => {} };
  const open = async (_session: unknown, { write }: Sink) => {
    stream.write = write;
    if (leavesMeanwhile) leave();
    return () => {
      stream.isClosed = true;
    };
  };
  const handlers: Handler[] = [];
  const app = { get: (_path: string, _options: object, handler: Handler) => handlers.push(handler) };
  liveRoutes({ open } as unknown as LiveStreams)(app as unknown as App);
  const headers = { 'x-crescendo-app': '1', cookie: 'crescendo-session=st_1', authorization: 'Bearer st_1' };
  const caller = { kind: 'session', userId: 'ada', sessionId: '1' };
  const reply = {
    raw,
    handlerTimer: null as NodeJS.Timeout | null,
    type: () => reply,
    header: () => reply,
    send: (messages: Readable) => sent.push(messages),
  };
  extendHandlerTime(reply as unknown as Parameters<typeof extendHandlerTime>[0], HANDLER_TIMEOUT_MS);
  await handlers[0]?.({ headers, caller, server: { hasTls: false }, protocol: 'http' }, reply);
  raw.once('close', () => clearTimeout(reply.handlerTimer ?? undefined));
  return stream;
}

test('a stream ends with the connection of its browser, also if that left while the stream was being opened', async () => {
  const stream = await openStream({ leavesMeanwhile: false });
  assert.equal(stream.isClosed, false);
  stream.leave();
  assert.equal(stream.isClosed, true);
  assert.equal((await openStream({ leavesMeanwhile: true })).isClosed, true);
});

test('for a browser that does not read, no more than a few messages wait', async () => {
  const { write, sent, leave } = await openStream({ leavesMeanwhile: false });
  for (let messages = 0; messages < 100; messages += 1) write('x'.repeat(1_000));
  assert.equal(sent[0]?.readableLength, 5_000);
  leave();
});

test('a stream lasts longer than any other answer, and ends within an hour, so that its app may find another process', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const stream = await openStream({ leavesMeanwhile: false });
  context.mock.timers.tick(20 * HANDLER_TIMEOUT_MS);
  assert.equal(stream.isClosed, false);
  context.mock.timers.tick(3_600_000);
  assert.equal(stream.isClosed, true);
});
