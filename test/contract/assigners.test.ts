/** Who has a say over a task: its owner, and its assigner only while both are in the space of the task. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { createSpace } from '../support/spaces.ts';
import { SyncClient } from '../support/sync-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const STATES = ['pending', 'accepted', 'done', 'dropped', 'declined'] as const;
type State = (typeof STATES)[number];
const ANSWERS: Record<State, readonly string[]> = {
  pending: [],
  accepted: ['accept'],
  done: ['accept', 'complete'],
  dropped: ['accept', 'drop'],
  declined: ['decline'],
};

interface World {
  readonly app: TestApp;
  readonly founder: Person;
  readonly owner: Person;
  readonly assigner: Person;
  readonly space: string;
}

async function createWorld(app: TestApp): Promise<World> {
  await app.clock.advance('1h');
  const [founder, owner, assigner] = [await createPerson(app), await createPerson(app), await createPerson(app)];
  return { app, founder, owner, assigner, space: await createSpace(founder, owner, assigner) };
}

async function assign({ owner, assigner, space }: World, state: State, place: string | null = space): Promise<string> {
  const due_at = '2026-03-05T09:00:00Z';
  const body = { title: 'milk', owner_id: owner.userId, space_id: place, due_at, has_time: true };
  const { id } = (await assigner.ask('POST', '/v1/tasks', body)).body.data;
  for (const action of ANSWERS[state]) await owner.ask('POST', `/v1/tasks/${id}/${action}`);
  return id;
}

type Attempt = [method: Parameters<Person['ask']>[0], path: string, body?: object];

/** Everything by which an assigner could read one of these tasks or change it. `about` names each of them. */
async function assertNoSay({ assigner, app }: World, ids: readonly string[], about: (id: string) => string) {
  const until = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
  const attempts: Attempt[] = [
    ['GET', ''],
    ['PATCH', '', { title: 'hers', recurrence: { freq: 'minutely' } }],
    ['GET', '/timeline'],
    ['GET', '/forecast'],
    ['POST', '/snooze', { until }],
    ['POST', '/move', { due_at: '2026-03-06T09:00:00Z' }],
    ['DELETE', '/assigner'],
    ...['complete', 'skip', 'drop', 'reopen', 'accept', 'decline'].map((name): Attempt => ['POST', `/${name}`, {}]),
  ];
  const stored = () => app.db.selectFrom('tasks').selectAll().where('id', 'in', ids).orderBy('id').execute();
  const before = await stored();
  assert.equal(before.length, ids.length);
  for (const id of ids) {
    for (const [method, path, body] of attempts) {
      const { status } = await assigner.ask(method, `/v1/tasks/${id}${path}`, body);
      assert.equal(status, 404, `${about(id)}: ${method} ${path}`);
    }
  }
  assert.deepEqual(await stored(), before);
  for (const list of ['/v1/tasks?assigned=true', '/v1/sync', '/v1/me/export']) {
    const shown = JSON.stringify((await assigner.ask('GET', list)).body.data);
    for (const id of ids) assert.ok(!shown.includes(id), `${about(id)}: ${list}`);
  }
}

/** The ways in which two people stop sharing the space of a task. */
const WAYS: Record<string, (world: World, ids: readonly string[]) => Promise<unknown>> = {
  'the assigner leaves': ({ assigner, space }) => assigner.ask('DELETE', `/v1/spaces/${space}/membership`),
  'the assigner is removed': ({ founder, assigner, space }) =>
    founder.ask('DELETE', `/v1/spaces/${space}/members/${assigner.userId}`),
  'the owner leaves': ({ owner, space }) => owner.ask('DELETE', `/v1/spaces/${space}/membership`),
  'the owner is removed': ({ founder, owner, space }) =>
    founder.ask('DELETE', `/v1/spaces/${space}/members/${owner.userId}`),
};

/** The rows of the space name no assigner who is not in it. */
async function assertStoredMembership({ app, space }: World): Promise<void> {
  const members = await app.db.selectFrom('space_members').select('user_id').where('space_id', '=', space).execute();
  const isMember = (id: string) => members.some(({ user_id }) => user_id === id);
  const tasks = await app.db.selectFrom('tasks').selectAll().where('space_id', '=', space).execute();
  for (const { assigner_id, owner_id } of tasks)
    assert.ok(assigner_id === null || (isMember(assigner_id) && isMember(owner_id)));
}

/** `isShared`: the members of its space see the task, and so does its former assigner. */
async function checkEnd({ owner, assigner, founder }: World, id: string, isShared: boolean): Promise<void> {
  const end = (by: Person) => by.ask('DELETE', `/v1/tasks/${id}/assigner`);
  const read = async () => (await owner.ask('GET', `/v1/tasks/${id}`)).body.data;
  assert.equal((await end(assigner)).status, 403);
  assert.equal((await end(founder)).status, isShared ? 403 : 404);
  const before = await read();
  assert.equal((await end(owner)).status, 200);
  const ended = await read();
  assert.deepEqual(ended, { ...before, assigner_id: null, updated_at: ended.updated_at });
  assert.equal((await end(owner)).body.data.assigner_id, null);
  assert.equal((await assigner.ask('GET', `/v1/tasks/${id}`)).status, isShared ? 200 : 404);
  assert.equal((await assigner.ask('PATCH', `/v1/tasks/${id}`, { title: 'x' })).status, isShared ? 403 : 404);
  const [newest, ...older] = (await owner.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
  assert.deepEqual([newest.kind, newest.by], ['assigner_removed', 'owner']);
  assert.ok(older.every(({ kind }: { kind: string }) => kind !== 'assigner_removed'));
}

onEveryEngine((engine, it) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
  });
  after(() => app[Symbol.asyncDispose]());

  it('a request that was taken back stays so once its owner or its assigner has left the space', async () => {
    for (const leaving of ['owner', 'assigner'] as const) {
      const world = await createWorld(app);
      const id = await assign(world, 'pending');
      assert.equal((await world.assigner.ask('POST', `/v1/tasks/${id}/drop`)).status, 200);
      assert.equal((await world[leaving].ask('DELETE', `/v1/spaces/${world.space}/membership`)).status, 200);
      assert.equal((await world.owner.ask('POST', `/v1/tasks/${id}/reopen`)).status, 409, leaving);
      assert.equal((await world.owner.ask('GET', `/v1/tasks/${id}`)).body.data.status, 'dropped');
    }
  });

  test('nobody keeps a say over a task in a space that they or its owner left, in whatever state the task is', async () => {
    for (const [way, part] of Object.entries(WAYS)) {
      const world = await createWorld(app);
      const ids: string[] = [];
      for (const state of STATES) ids.push(await assign(world, state));
      const clients = [new SyncClient(world.owner), new SyncClient(world.assigner), new SyncClient(world.founder)];
      // At the same moment, the next sync would tell of everything once more.
      await app.clock.advance('1m');
      for (const client of clients) await client.sync();
      await part(world, ids);
      await assertNoSay(world, ids, (id) => `${way}, ${STATES[ids.indexOf(id)]}`);
      for (const id of ids) {
        const { data } = (await world.owner.ask('GET', `/v1/tasks/${id}`)).body;
        assert.deepEqual([data.assigner_id, data.title], [null, 'milk'], way);
      }
      assert.equal((await world.owner.ask('GET', `/v1/tasks/${ids[0]}`)).body.data.status, 'dropped');
      assert.equal((await world.owner.ask('POST', `/v1/tasks/${ids[1]}/complete`)).body.data.status, 'done');
      for (const client of clients) {
        await client.sync();
        await client.assertUpToDate();
      }
      await assertStoredMembership(world);
    }
  });

  test('once a person has left, they have no say over any of many tasks, before the first slice of the rest', async () => {
    await using app = await startTestApp(engine, {
      extra: { followUps: { rows: 100, mayRun: () => false }, rowsAtOnce: 1 },
    });
    for (const way of ['the assigner is removed', 'the owner leaves']) {
      const world = await createWorld(app);
      const ids: string[] = [];
      for (const state of sized<readonly State[]>(STATES, [...STATES, ...STATES])) ids.push(await assign(world, state));
      await WAYS[way]?.(world, ids);
      await assertNoSay(world, ids, () => way);
    }
  });

  it('only its owner takes a request out of a space, and it stays a request', async () => {
    const world = await createWorld(app);
    const id = await assign(world, 'pending');
    const takeOut = (by: Person) => by.ask('PATCH', `/v1/tasks/${id}`, { space_id: null });
    assert.equal((await takeOut(world.assigner)).status, 403);
    const { body } = await takeOut(world.owner);
    assert.equal(body.data?.assigner_id, world.assigner.userId);
  });

  it('a request goes to no space in which its assigner is not', async () => {
    const world = await createWorld(app);
    const id = await assign(world, 'pending');
    const move = (space_id: string) => world.owner.ask('PATCH', `/v1/tasks/${id}`, { space_id });
    assert.equal((await move(await createSpace(world.owner))).status, 403);
    assert.equal((await move(await createSpace(world.owner, world.assigner))).status, 200);
  });

  it('a task that its owner takes out of the space has no assigner, unless the assigner is in its new space', async () => {
    const world = await createWorld(app);
    const { owner, assigner, founder } = world;
    const shared = await createSpace(owner, assigner);
    const foreign = await createSpace(owner, founder);
    const client = new SyncClient(assigner);
    for (const [place, keeps] of [
      [shared, true],
      [foreign, false],
      [null, false],
    ] as const) {
      const id = await assign(world, 'accepted');
      await client.sync();
      const moved = await owner.ask('PATCH', `/v1/tasks/${id}`, { space_id: place });
      assert.deepEqual([moved.status, moved.body.data.assigner_id], [200, keeps ? assigner.userId : null]);
      if (!keeps) await assertNoSay(world, [id], () => `moved to ${place}`);
      await client.sync();
      await client.assertUpToDate();
    }
    // Accepted outside of any space, and then put into one.
    const id = await assign(world, 'accepted', null);
    assert.equal((await assigner.ask('PATCH', `/v1/tasks/${id}`, { title: 'milk' })).status, 200);
    assert.equal((await owner.ask('PATCH', `/v1/tasks/${id}`, { space_id: foreign })).body.data.assigner_id, null);
    await assertNoSay(world, [id], () => 'put into a space of others');
  });

  test('whatever happens at the same moment as a removal, no say is left behind', async () => {
    const races: ((world: World) => Promise<(() => Promise<unknown>)[]>)[] = [
      async (world) => {
        const id = await assign(world, 'pending');
        return [() => world.owner.ask('POST', `/v1/tasks/${id}/accept`)];
      },
      async (world) => [() => assign(world, 'accepted').catch(() => undefined)],
      async (world) => {
        const id = await assign(world, 'accepted');
        return [() => world.assigner.ask('PATCH', `/v1/tasks/${id}`, { title: 'bread' })];
      },
      async (world) => {
        const id = await assign(world, 'accepted', null);
        return [() => world.owner.ask('PATCH', `/v1/tasks/${id}`, { space_id: world.space })];
      },
      async (world) => {
        const id = await assign(world, 'pending', null);
        const move = (by: Person) => () => by.ask('PATCH', `/v1/tasks/${id}`, { space_id: world.space });
        return [move(world.assigner), move(world.owner), () => world.owner.ask('POST', `/v1/tasks/${id}/accept`)];
      },
    ];
    for (const race of races) {
      for (const way of ['the assigner is removed', 'the owner leaves']) {
        const world = await createWorld(app);
        const others = await race(world);
        await Promise.all([...others.map((run) => run()), WAYS[way]?.(world, [])]);
        await assertStoredMembership(world);
      }
    }
  });

  it('the owner of a task ends the say of its assigner, once and for good', async () => {
    const world = await createWorld(app);
    for (const place of [null, world.space]) {
      for (const state of STATES) {
        const id = await assign(world, state, place);
        const client = new SyncClient(world.assigner);
        await client.sync();
        await checkEnd(world, id, place !== null && state !== 'pending' && state !== 'declined');
        await client.sync();
        await client.assertUpToDate();
      }
    }
  });

  it('an access token that may write ends a say, one that may only read does not', async () => {
    const world = await createWorld(app);
    const id = await assign(world, 'accepted');
    const tokenWith = async (scope: string) =>
      (await world.owner.ask('POST', '/v1/tokens', { scopes: [scope] })).body.data.token;
    const end = (token: string) => world.owner.ask('DELETE', `/v1/tasks/${id}/assigner`, undefined, token);
    assert.equal((await end(await tokenWith('tasks:read'))).status, 403);
    assert.equal((await end(await tokenWith('tasks:write'))).body.data.assigner_id, null);
  });
});
