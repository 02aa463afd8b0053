/** A long answer ends with the permission to read it: whoever pauses reading gets no page that was not read yet. */
import assert from 'node:assert/strict';
import type { Routes } from '../../src/http/app.ts';
import { sendStream } from '../../src/http/streamed-answer.ts';
import { mintToken } from '../support/agents.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, openSession, personWith } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** More than an unread answer buffers: its first page, the page after it, and a chunk of a feed. */
const TASKS = 600;
const MOST_BUFFERED = 400;

async function createLargeAccount(app: TestApp) {
  const dueAt = new Date('2027-01-01T09:00:00Z');
  const [userId = ''] = await insertDueTasks(app.db, { tasks: TASKS, owners: 1, dueAt, withDevices: false });
  await app.db.updateTable('tasks').set({ title: 'needle' }).where('owner_id', '=', userId).execute();
  const open = async () => personWith(app, 'large@example.org', userId, await openSession(app, userId));
  return { userId, open };
}

/** Reads the rest after `end`. Returns how the answer ended, and how many titles came. */
async function readOnAfter({ fastify }: TestApp, url: string, token: string, end: () => Promise<unknown>) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fastify.inject({ url, headers, payloadAsStream: true });
  assert.equal(answer.statusCode, 200);
  await end();
  let text = '';
  try {
    for await (const chunk of answer.stream()) text += chunk;
  } catch {
    return { ended: 'cut', titles: text.split('needle').length - 1 };
  }
  return { ended: 'complete', titles: text.split('needle').length - 1 };
}

onEveryEngine((engine, it) => {
  it('a paused answer is cut at the next page once its session, token, feed or account has ended', async () => {
    await using app = await startTestApp(engine);
    const { userId, open } = await createLargeAccount(app);
    const [owner, other] = [await open(), await createPerson(app)];
    const space = await createSpace(owner, other);
    await app.db.updateTable('tasks').set({ space_id: space }).where('owner_id', '=', userId).execute();
    const suspend = (at: Date | null) =>
      app.db.updateTable('users').set({ suspended_at: at }).where('id', '=', userId).execute();

    const signOut = async (path: string) => {
      const reader = await open();
      return readOnAfter(app, path, reader.sessionToken, () => reader.ask('DELETE', '/v1/auth/session'));
    };
    const { id, token } = await mintToken(owner);
    const feed = new URL((await owner.ask('POST', '/v1/me/calendar')).body.data.url).pathname;
    const cases: Readonly<Record<string, () => ReturnType<typeof readOnAfter>>> = {
      list: () => signOut('/v1/tasks'),
      'a space': () => signOut(`/v1/spaces/${space}/tasks`),
      sync: () => readOnAfter(app, '/v1/sync', token, () => owner.ask('DELETE', `/v1/tokens/${id}`)),
      feed: () => readOnAfter(app, feed, '', () => owner.ask('DELETE', '/v1/me/calendar')),
      suspended: async () => {
        const { sessionToken } = await open();
        const read = await readOnAfter(app, '/v1/me/export', sessionToken, () => suspend(app.clock.now()));
        await suspend(null);
        return read;
      },
      deleted: async () => {
        const { sessionToken, ask } = await open();
        return readOnAfter(app, '/v1/tasks', sessionToken, () => ask('DELETE', '/v1/me'));
      },
    };
    const complete = await readOnAfter(app, '/v1/tasks', owner.sessionToken, async () => undefined);
    assert.deepEqual(complete, { ended: 'complete', titles: TASKS });
    for (const [name, read] of Object.entries(cases)) {
      const { ended, titles } = await read();
      assert.equal(ended, 'cut', name);
      assert.ok(titles <= MOST_BUFFERED, `${name}: ${titles} titles`);
    }
  });

  it('an answer may take as long as its reader, and longer than any other request', async () => {
    const asked = Promise.withResolvers<void>();
    async function* pages() {
      yield 'first ';
      await asked.promise;
      yield 'last';
    }
    const routes: Routes = (server) => {
      server.get('/test/pages', async (request, reply) => sendStream(request, reply, pages(), 'text/plain'));
      server.get('/test/never', () => new Promise(() => undefined));
    };
    const access = { 'GET /test/pages': 'session', 'GET /test/never': 'session' } as const;
    await using app = await startTestApp(engine, {
      extra: { routes: [routes], access, limits: { handlerTimeoutMs: 500 } },
    });
    const { sessionToken } = await createPerson(app);
    const origin = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const headers = { authorization: `Bearer ${sessionToken}` };
    const answer = await fetch(`${origin}/test/pages`, { headers });
    // It began later, so the time of a request is over for the answer too.
    assert.equal((await fetch(`${origin}/test/never`, { headers })).status, 503);
    asked.resolve();
    assert.equal(await answer.text(), 'first last');
  });

  it('whoever leaves before the first page of a long answer takes no place from later ones', async () => {
    async function* pages() {
      yield 'a page';
    }
    const routes: Routes = (server) =>
      server.get('/test/pages', async (request, reply) => {
        if (request.headers['x-leaves'] !== undefined) {
          const closed = Promise.withResolvers<void>();
          reply.raw.once('close', closed.resolve).destroy();
          await closed.promise;
        }
        return sendStream(request, reply, pages(), 'text/plain');
      });
    const extra = { routes: [routes], access: { 'GET /test/pages': 'session' } } as const;
    await using app = await startTestApp(engine, { extra });
    const { sessionToken } = await createPerson(app);
    const headers = { authorization: `Bearer ${sessionToken}` };
    const url = '/test/pages';
    for (let count = 0; count < 4; count += 1) {
      await assert.rejects(app.fastify.inject({ url, headers: { ...headers, 'x-leaves': 'yes' } }), /destroyed/);
    }
    const answer = await app.fastify.inject({ url, headers });
    assert.deepEqual([answer.statusCode, answer.body], [200, 'a page']);
  });
});
