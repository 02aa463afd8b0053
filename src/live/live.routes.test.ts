import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { App } from '../http/app.ts';
import { liveRoutes } from './live.routes.ts';
import type { LiveStreams } from './live-streams.ts';

type Handler = (request: object, reply: object) => Promise<unknown>;

/** A stream of the app's session, whose browser leaves when `leave` is called. */
async function openStream({ leavesMeanwhile }: { readonly leavesMeanwhile: boolean }) {
  const raw = Object.assign(new EventEmitter(), { destroyed: false });
  const leave = () => {
    raw.destroyed = true;
    raw.emit('close');
  };
  const stream = { isClosed: false, leave };
  const open = async () => {
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
  const reply = { raw, handlerTimer: null, type: () => reply, header: () => reply, send: () => reply };
  await handlers[0]?.({ headers, caller, server: { hasTls: false }, protocol: 'http' }, reply);
  clearTimeout(reply.handlerTimer ?? undefined);
  return stream;
}

test('a stream ends with the connection of its browser, also if that left while the stream was being opened', async () => {
  const stream = await openStream({ leavesMeanwhile: false });
  assert.equal(stream.isClosed, false);
  stream.leave();
  assert.equal(stream.isClosed, true);
  assert.equal((await openStream({ leavesMeanwhile: true })).isClosed, true);
});
