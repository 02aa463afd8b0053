import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { relationTo } from '../../src/tasks/visibility.ts';
import { onEveryEngine, testOn } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { createSpace } from '../support/spaces.ts';
import { SyncClient } from '../support/sync-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const ROLES = ['owner', 'assigner', 'member', 'former member', 'stranger'] as const;
type Role = (typeof ROLES)[number];
const STATES = ['own', 'pending', 'accepted', 'declined', 'closed', 'dropped'] as const;
type State = (typeof STATES)[number];
const ACTIONS = ['complete', 'snooze', 'skip', 'drop', 'accept', 'decline', 'reopen'] as const;

/** HTTP statuses of an edit, then of each action. For an `own` task, which has no assigner, that role is an ordinary member. */
const OWNER: Record<State, number[]> = {
  own: [200, 200, 200, 200, 200, 200, 409, 200],
  pending: [200, 200, 409, 200, 200, 200, 200, 200],
  accepted: [200, 200, 200, 200, 200, 200, 409, 200],
  declined: [200, 409, 409, 409, 409, 409, 200, 409],
  closed: [200, 200, 409, 409, 409, 200, 409, 200],
  dropped: [200, 409, 409, 409, 200, 200, 409, 200],
};
const ASSIGNER: Record<Exclude<State, 'own'>, number[]> = {
  pending: [200, 403, 403, 403, 200, 403, 403, 200],
  accepted: [200, 200, 200, 200, 200, 403, 403, 200],
  declined: [200, 403, 403, 403, 409, 403, 403, 409],
  closed: [200, 200, 409, 409, 409, 403, 403, 200],
  dropped: [200, 409, 409, 409, 200, 403, 403, 403],
};
const ALL = (status: number) => Array<number>(1 + ACTIONS.length).fill(status);

function expectedStatuses(role: Role, isToken: boolean, state: State): number[] {
  if (role === 'owner') return OWNER[state];
  if (isToken || role === 'former member' || role === 'stranger') return ALL(404);
  if (role === 'assigner' && state !== 'own') return ASSIGNER[state];
  return state === 'pending' || state === 'declined' ? ALL(404) : ALL(403);
}

const isVisible = (role: Role, isToken: boolean, state: State) => !expectedStatuses(role, isToken, state).includes(404);

interface World {
  readonly people: Record<Role, Person>;
  readonly tokens: Record<Role, string>;
  readonly spaceId: string;
}

async function createWorld(app: TestApp): Promise<World> {
  const [owner, assigner, member, former, stranger] = (await Promise.all(ROLES.map(() => createPerson(app)))) as [
    ...[Person, Person, Person, Person, Person],
  ];
  const people = { owner, assigner, member, 'former member': former, stranger };
  const spaceId = await createSpace(owner, assigner, member, former);
  await former.ask('DELETE', `/v1/spaces/${spaceId}/membership`);
  const scopes = ['tasks:read', 'tasks:write'];
  const minted = await Promise.all(
    ROLES.map(async (role) => [role, (await people[role].ask('POST', '/v1/tokens', { scopes })).body.data.token]),
  );
  return { people, tokens: Object.fromEntries(minted), spaceId };
}

async function createTask({ people, spaceId }: World, state: State): Promise<string> {
  const { owner, assigner } = people;
  const body = { title: 'x', space_id: spaceId };
  const creator = state === 'own' ? owner : assigner;
  const { id } = (await creator.ask('POST', '/v1/tasks', { ...body, owner_id: owner.userId })).body.data;
  const act = (action: string) => owner.ask('POST', `/v1/tasks/${id}/${action}`);
  if (state === 'declined') await act('decline');
  if (['accepted', 'closed', 'dropped'].includes(state)) await act('accept');
  if (state === 'closed') await act('complete');
  if (state === 'dropped') await act('drop');
  return id;
}

interface Viewer {
  readonly name: string;
  readonly role: Role;
  readonly isToken: boolean;
  readonly ask: Person['ask'];
}

/** Every role, once with a session and once with an access token. */
function viewersOf({ people, tokens }: World): Viewer[] {
  return ROLES.flatMap((role) => {
    const { ask } = people[role];
    const withToken: Person['ask'] = (method, url, payload) => ask(method, url, payload, tokens[role]);
    return [
      { name: role, role, isToken: false, ask },
      { name: `${role}'s PAT`, role, isToken: true, ask: withToken },
    ];
  });
}

/** Whether the task appears in each place that can show it. */
async function findWhereVisible({ spaceId }: World, { ask }: Viewer, id: string) {
  const read = async (url: string): Promise<{ id: string }[]> => (await ask('GET', url)).body.data ?? [];
  const lists = [
    await read('/v1/tasks'),
    await read('/v1/tasks?assigned=true'),
    await read(`/v1/spaces/${spaceId}/tasks`),
  ];
  const { tasks } = (await ask('GET', '/v1/sync')).body.data as { tasks: { id: string }[] };
  return {
    list: lists.flat().some((one) => one.id === id),
    detail: (await ask('GET', `/v1/tasks/${id}`)).status,
    sync: tasks.some((one) => one.id === id),
    inSpace: (await ask('GET', `/v1/spaces/${spaceId}/tasks/${id}`)).status,
  };
}

function expectedVisibility({ role, isToken }: Viewer, state: State) {
  const seen = isVisible(role, isToken, state);
  const status = seen ? 200 : 404;
  return { list: seen, detail: status, sync: seen, inSpace: isToken ? 403 : status };
}

async function attempt({ ask }: Viewer, id: string, action: string, until: string): Promise<number> {
  if (action === 'edit') return (await ask('PATCH', `/v1/tasks/${id}`, { title: 'y' })).status;
  return (await ask('POST', `/v1/tasks/${id}/${action}`, action === 'snooze' ? { until } : {})).status;
}

onEveryEngine((engine) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
  });
  after(() => app[Symbol.asyncDispose]());

  test('each viewer sees each kind of task exactly as the rule says: in lists, in detail and in sync', async () => {
    const world = await createWorld(app);
    let cells = 0;
    for (const state of STATES) {
      const id = await createTask(world, state);
      for (const viewer of viewersOf(world)) {
        assert.deepEqual(
          await findWhereVisible(world, viewer, id),
          expectedVisibility(viewer, state),
          `${viewer.name}, ${state}`,
        );
        cells += 1;
      }
    }
    assert.equal(cells, STATES.length * ROLES.length * 2);
  });

  testOn(
    'sqlite',
    engine,
    'each viewer may perform exactly the actions that the rule allows on each kind of task',
    async () => {
      const world = await createWorld(app);
      const until = new Date(app.clock.now().getTime() + 86_400_000).toISOString();
      for (const state of STATES) {
        for (const viewer of viewersOf(world)) {
          const statuses: number[] = [];
          let id = await createTask(world, state);
          for (const action of ['edit', ...ACTIONS] as const) {
            const status = await attempt(viewer, id, action, until);
            statuses.push(status);
            // A refused action leaves the task as it was.
            if (status === 200) id = await createTask(world, state);
          }
          assert.deepEqual(statuses, expectedStatuses(viewer.role, viewer.isToken, state), `${viewer.name}, ${state}`);
        }
      }
    },
  );

  test('after any sequence of actions no user can read what the rule hides, and sync removes every task that became invisible', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 8, maxLength: 30, size: 'max' }), async (moves) => {
        await app.clock.advance('1h');
        const world = await RandomWorld.create(app);
        for (const one of moves) await world.make(one);
        await world.check();
      }),
      { numRuns: sized(5, 12), endOnFailure: true },
    );
  });
});

type Move =
  | { readonly do: 'join' | 'leave'; readonly who: number; readonly space: number }
  | { readonly do: 'assign'; readonly who: number; readonly to: number; readonly space: number | null }
  | { readonly do: 'act'; readonly who: number; readonly task: number; readonly action: string }
  | { readonly do: 'share'; readonly who: number; readonly task: number; readonly space: number | null }
  | { readonly do: 'sync'; readonly who: number }
  | { readonly do: 'delete'; readonly who: number };

const PEOPLE = 4;
const who = fc.nat({ max: PEOPLE - 1 });
const space = fc.nat({ max: 1 });
const task = fc.nat({ max: 7 });
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('join' as const, 'leave' as const), who, space }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('assign' as const), who, to: who, space: fc.option(space) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('act' as const),
      who,
      task,
      action: fc.constantFrom('accept', 'accept', 'decline', 'complete', 'drop', 'reopen'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('share' as const), who, task, space: fc.option(space) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('sync' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), who }) },
);

/** A few people and two spaces, on which random moves are made. */
class RandomWorld {
  readonly #app: TestApp;
  readonly #people: (Person | undefined)[];
  readonly #clients: SyncClient[];
  readonly #spaces: string[];
  readonly #tasks: string[] = [];

  private constructor(app: TestApp, people: Person[], spaces: string[]) {
    this.#app = app;
    this.#people = [...people];
    this.#clients = people.map((person) => new SyncClient(person));
    this.#spaces = spaces;
  }

  static async create(app: TestApp): Promise<RandomWorld> {
    const people = await Promise.all(Array.from({ length: PEOPLE }, () => createPerson(app)));
    const spaces = await Promise.all(people.slice(0, 2).map((founder) => createSpace(founder)));
    return new RandomWorld(app, people, spaces);
  }

  async make(one: Move): Promise<void> {
    const person = this.#people[one.who];
    if (!person) return;
    switch (one.do) {
      case 'join':
        return this.#join(person, this.#spaceId(one.space) ?? '');
      case 'leave':
        await person.ask('DELETE', `/v1/spaces/${this.#spaceId(one.space)}/membership`);
        return;
      case 'assign': {
        const owner_id = this.#people[one.to]?.userId ?? person.userId;
        const { status, body } = await person.ask('POST', '/v1/tasks', {
          title: 'x',
          owner_id,
          space_id: this.#spaceId(one.space),
        });
        if (status === 200) this.#tasks.push(body.data.id);
        return;
      }
      case 'act':
        await person.ask('POST', `/v1/tasks/${this.#tasks[one.task]}/${one.action}`);
        return;
      case 'share':
        await person.ask('PATCH', `/v1/tasks/${this.#tasks[one.task]}`, { space_id: this.#spaceId(one.space) });
        return;
      case 'sync':
        return this.#clients[one.who]?.sync();
      case 'delete':
        await person.ask('DELETE', '/v1/me');
        this.#people[one.who] = undefined;
    }
  }

  #spaceId(index: number | null): string | null {
    return index === null ? null : (this.#spaces[index] ?? null);
  }

  async #join(person: Person, spaceId: string): Promise<void> {
    for (const member of this.#people) {
      const invited = await member?.ask('POST', `/v1/spaces/${spaceId}/invites`, {});
      if (invited?.status !== 200) continue;
      await person.ask('POST', `/v1/invites/${invited.body.data.token}/accept`);
      return;
    }
  }

  async check(): Promise<void> {
    const tasks = await this.#app.db
      .selectFrom('tasks')
      .selectAll()
      .where('id', 'in', [...this.#tasks, this.#spaces[0] ?? ''])
      .execute();
    const members = await this.#app.db.selectFrom('space_members').selectAll().execute();
    for (const [index, person] of this.#people.entries()) {
      if (!person) continue;
      const caller = { kind: 'session' as const, userId: person.userId, sessionId: '', provenAt: new Date(0) };
      const seen = tasks.filter((one) => {
        const isMember = members.some(
          ({ user_id, space_id }) => user_id === person.userId && space_id === one.space_id,
        );
        return relationTo(one, caller, isMember) !== undefined;
      });
      const ids = seen.map(({ id }) => id).sort();
      for (const { id } of tasks) {
        assert.equal((await person.ask('GET', `/v1/tasks/${id}`)).status, ids.includes(id) ? 200 : 404);
      }
      const client = this.#clients[index];
      await client?.sync();
      // The SQL filter, the pure rule and a syncing client must agree.
      assert.deepEqual(client?.taskIds.sort(), ids);
      await client?.assertUpToDate();
    }
  }
}
