import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Access, accessTable, findAccess } from '../../src/http/access.ts';
import { SCOPES as ALL_SCOPES } from '../../src/lib/caller.ts';
import { connect } from '../support/assistants.ts';
import { addPasskey } from '../support/authenticator.ts';
import { onlyOn, onSomeEngine } from '../support/engines.ts';
import { createPerson, openSession, type Person, signIn } from '../support/people.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';

const CALLERS = [
  'no token',
  'garbage',
  'expired session',
  'revoked session',
  'read-only PAT',
  'write PAT',
  'settings PAT',
  'connection token',
  "other user's session",
  "owner's session",
  "administrator's session",
] as const;
type CallerKind = (typeof CALLERS)[number];

const SCOPES: Partial<Record<CallerKind, string[]>> = {
  'read-only PAT': ['tasks:read'],
  'write PAT': ['tasks:write'],
  'settings PAT': ['settings:write'],
};

const OUTSIDERS: readonly CallerKind[] = [
  'no token',
  'garbage',
  'expired session',
  'revoked session',
  'connection token',
];

/** What the access table promises a caller: access, or the error code. */
function promised(access: Access, caller: CallerKind): 'let in' | keyof typeof REFUSALS {
  if (access === 'anyone') return 'let in';
  // A connection counts at the MCP server, which is not part of the API.
  if (OUTSIDERS.includes(caller)) return 'unauthenticated';
  const scopes = SCOPES[caller];
  if (!scopes) return access === 'admin' && caller !== "administrator's session" ? 'admin_required' : 'let in';
  if (access === 'session' || access === 'admin') return 'session_required';
  return scopes.includes(access) ? 'let in' : 'scope_required';
}

const REFUSALS = { unauthenticated: 401, session_required: 403, scope_required: 403, admin_required: 403 };

function actual({ status, body }: Answer): string {
  const code = typeof body?.error === 'string' ? body.error.split(':')[0] : '';
  if (!(code in REFUSALS)) return 'let in';
  assert.equal(status, REFUSALS[code as keyof typeof REFUSALS]);
  return code;
}

interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
}

async function listRoutes(app: TestApp): Promise<Route[]> {
  const { body } = await app.ask({ url: '/openapi.json' });
  const described = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase() as Route['method'], path })),
  );
  return [...described, ...ROUTES_OF_THE_APP];
}

/** The web app's own, which are not part of the description, as far as they need a caller. */
const ROUTES_OF_THE_APP = Object.entries(accessTable).flatMap(([key, access]) => {
  const [method, path = ''] = key.split(' ');
  // A stream refuses every session without the app's cookie: see `live.test.ts`.
  if (path === '/app/live') return [];
  return path.startsWith('/app/') && access !== 'anyone' ? [{ method: method as Route['method'], path }] : [];
});

async function mint(person: Person, scopes: string[]): Promise<{ id: string; token: string }> {
  const { body } = await person.ask('POST', '/v1/tokens', { scopes });
  return body.data;
}

/** A new caller, because some routes end the session or the account of their caller. */
async function tokenFor(app: TestApp, caller: CallerKind, owner: Person): Promise<string | undefined> {
  const scopes = SCOPES[caller];
  if (scopes) return (await mint(owner, scopes)).token;
  if (caller === 'no token') return undefined;
  if (caller === 'garbage') return 'st_garbage';
  if (caller === 'connection token') return (await connect(app, owner, { scopes: ALL_SCOPES })).access;
  if (caller === "owner's session") return openSession(app, owner.userId);
  const other = await createPerson(app);
  if (caller === 'expired session') {
    await app.db
      .updateTable('sessions')
      .set({ expires_at: app.clock.now() })
      .where('user_id', '=', other.userId)
      .execute();
  }
  if (caller === "administrator's session")
    await app.db.updateTable('users').set({ is_admin: true }).where('id', '=', other.userId).execute();
  if (caller === 'revoked session') await other.ask('DELETE', '/v1/auth/session');
  return other.sessionToken;
}

const WEBHOOK = { provider: 'webhook', fields: { url: 'https://localhost:1/' } };

const LADDER = { name: 'x', rungs: [{ after: 0, stage: 0 }], end: null };

/** Paths contain ids of the owner's objects, so that another user who gets access still gets a 404. */
async function fillPath(path: string, owner: Person): Promise<string> {
  const makers: Readonly<Record<string, () => Promise<string>>> = {
    token_id: async () => (await mint(owner, ['tasks:read'])).id,
    session_id: async () => (await owner.ask('GET', '/v1/auth/sessions')).body.data[0].id,
    task_id: async () => (await owner.ask('POST', '/v1/tasks', { title: 'x' })).body.data.id,
    device_id: async () => (await owner.ask('POST', '/v1/devices', { ios_push_token: 'ab'.repeat(32) })).body.data.id,
    passkey_id: async () => (await addPasskey(owner)).body.data.id,
    // A host that is not allowed, so that nothing leaves the machine.
    channel_id: async () => (await owner.ask('POST', '/v1/channels', WEBHOOK)).body.data.channel.id,
    ladder_id: async () => (await owner.ask('POST', '/v1/ladders', LADDER)).body.data.id,
    space_id: async () => (await owner.ask('POST', '/v1/spaces', { name: 'x' })).body.data.id,
    stand_in_id: async () => owner.userId,
    entry_id: async () => owner.userId,
    outage_id: async () => owner.userId,
    batch_id: async () => {
      const { id } = (await owner.ask('POST', '/v1/tasks', { title: 'x' })).body.data;
      return (await owner.ask('POST', '/v1/batches', { as: 'done', tasks: [{ id }] })).body.data.batch_id;
    },
    move_in_id: async () => {
      const file = { schema_version: 1, tasks: [{ title: 'x' }] };
      const preview_id = (await owner.ask('POST', '/v1/move-in/preview', file)).body.data.id;
      return (await owner.ask('POST', '/v1/move-in', { preview_id })).body.data.id;
    },
    invite_id: async () => owner.userId,
    invitation_id: async () => owner.userId,
    user_id: async () => owner.userId,
    token: async () => 'in_never-was',
  };
  let filled = path;
  for (const [slot, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const make = makers[name];
    assert.ok(make, `nothing to put for ${slot}: add it here`);
    filled = filled.replace(slot, await make());
  }
  return filled;
}

/** A body for the routes that check it before they look for the object. */
function bodyFor(path: string, app: TestApp): object {
  if (path.endsWith('/shortest-wait')) return { minutes: 30 };
  if (path.endsWith('/heads-ups')) return { heads_ups: [] };
  if (/\/ladder(?:\/preview)?$/.test(path)) return { preset: 'gentle' };
  if (path.endsWith('/overdue')) return { decision: 'drop', task_ids: ['00000000-0000-7000-8000-000000000000'] };
  if (path.endsWith('/ask')) return { owner_id: '00000000-0000-7000-8000-000000000000' };
  if (path.endsWith('/move')) return { due_at: '2030-01-01T09:00:00Z' };
  if (path.endsWith('/ring-anyway')) return { at: '2030-01-01T09:00:00Z' };
  if (path.endsWith('/snooze')) return { until: new Date(app.clock.now().getTime() + 1_000).toISOString() };
  if (/(?:\{passkey_id\}|\{space_id\}|\/names\/\{session_id\})$/.test(path)) return { name: 'x' };
  return path.endsWith('{task_id}/la-token') ? { la_update_token: 'ab'.repeat(32) } : {};
}

/** An account, and an address that names what it owns. */
interface Target {
  readonly owner: Person;
  readonly url: string;
}

async function createTarget(app: TestApp, { path }: Route): Promise<Target> {
  const owner = await createPerson(app);
  return { owner, url: await fillPath(path, owner) };
}

/** Returns whether the caller was let in, and so may have changed the target. */
async function checkPair(
  app: TestApp,
  { method, path }: Route,
  { owner, url }: Target,
  access: Access,
  caller: CallerKind,
  refused: RefusedCallers,
): Promise<boolean> {
  // An hour between pairs, so that only the last few count for the throttles of signing in.
  if (access === 'anyone' || path.includes('/auth/')) await app.clock.advance('1h');
  const isLetIn = promised(access, caller) === 'let in';
  const token = isLetIn ? await tokenFor(app, caller, owner) : await refused.tokenOf(caller);
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const payload = method === 'GET' ? {} : { payload: bodyFor(path, app) };
  const answer = await app.ask({ method, url, headers, ...payload });
  const pair = `${caller}: ${method} ${path} → ${JSON.stringify(answer.body)}`;
  assert.equal(actual(answer), promised(access, caller), pair);
  // An administrator sees no more of another person's things than anybody else.
  const isStranger = caller === "other user's session" || caller === "administrator's session";
  if (path.includes('{') && isStranger && access !== 'admin') assert.equal(answer.status, 404, pair);
  if (answer.status === 401) assert.match(String(answer.headers['www-authenticate']), /^Bearer realm="crescendo"/);
  return isLetIn;
}

/** Callers who are refused. They change nothing, so the next route meets the same ones, as long as no time has passed. */
class RefusedCallers {
  readonly #app: TestApp;
  readonly #owner: Person;
  readonly #known = new Map<CallerKind, { readonly token: string | undefined; readonly at: number }>();

  constructor(app: TestApp, owner: Person) {
    this.#app = app;
    this.#owner = owner;
  }

  async tokenOf(caller: CallerKind): Promise<string | undefined> {
    const at = this.#app.clock.now().getTime();
    const known = this.#known.get(caller);
    if (known?.at === at) return known.token;
    const token = await tokenFor(this.#app, caller, this.#owner);
    this.#known.set(caller, { token, at });
    return token;
  }
}

onSomeEngine('sqlite', (engine) => {
  test('every route accepts and refuses every kind of caller as the access table says', async () => {
    await using app = await startTestApp(engine);
    const routes = await listRoutes(app);
    const refused = new RefusedCallers(app, await createPerson(app));
    let pairs = 0;
    for (const route of routes) {
      const access = findAccess(accessTable, route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'));
      assert.ok(access, `${route.method} ${route.path}`);
      let target = await createTarget(app, route);
      for (const caller of CALLERS) {
        if (await checkPair(app, route, target, access, caller, refused)) target = await createTarget(app, route);
        pairs += 1;
      }
    }
    assert.equal(pairs, routes.length * CALLERS.length);
    assert.ok(routes.length >= Object.keys(accessTable).filter((key) => key.includes('/v1/')).length);
  });
});

onlyOn('sqlite', () => {
  test('the service does not start if a route is missing from the access table', async () => {
    const stray = startTestApp('sqlite', { extra: { routes: [(app) => app.get('/v1/stray', async () => ({}))] } });
    await assert.rejects(stray, /GET \/v1\/stray is missing from the access table/);
  });

  test('the API description shows the access table per operation', async () => {
    await using app = await startTestApp('sqlite');
    const { body } = await app.ask({ url: '/openapi.json' });
    const { paths } = body as { paths: Record<string, Record<string, { security: unknown }>> };
    const read = paths['/v1/me']?.get?.security;
    assert.deepEqual(read, [{ session: [] }, { token: ['tasks:read'] }]);
    assert.deepEqual(paths['/v1/me']?.delete?.security, [{ session: [] }]);
    assert.deepEqual(paths['/v1/auth/email/request']?.post?.security, []);
  });

  test('with an https BASE_URL, access tokens over plain HTTP are refused and sessions are not', async () => {
    const settings = { BASE_URL: 'https://crescendo.example', TRUST_PROXY: '127.0.0.1' };
    await using app = await startTestApp('sqlite', { settings });
    const person = await signIn(app);
    const { token } = await mint(person, ['tasks:read']);
    const plain = await person.ask('GET', '/v1/me', undefined, token);
    assert.deepEqual([plain.status, plain.body.error.split(':')[0]], [403, 'https_required']);
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-proto': 'https' };
    assert.equal((await app.ask({ url: '/v1/me', headers })).status, 200);
    assert.equal((await person.ask('GET', '/v1/me')).status, 200);
  });

  test('the general rate limit counts per account and says when to retry', async () => {
    await using app = await startTestApp('sqlite', { settings: { RATE_LIMIT_PER_MINUTE: '5' } });
    const [wild, calm] = [await signIn(app), await signIn(app)];
    for (let count = 0; count < 5; count += 1) assert.equal((await wild.ask('GET', '/v1/me')).status, 200);
    const refused = await wild.ask('GET', '/v1/me');
    assert.deepEqual([refused.status, refused.body.error.split(':')[0]], [429, 'too_many_requests']);
    assert.equal(refused.headers['retry-after'], '60');
    assert.equal((await calm.ask('GET', '/v1/me')).status, 200);
    await app.clock.advance('60s');
    assert.equal((await wild.ask('GET', '/v1/me')).status, 200);
  });
});
