import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunAgain, transact } from '../../src/db/transact.ts';
import type { AccessTable } from '../../src/http/access.ts';
import type { Routes } from '../../src/http/app.ts';
import { ok } from '../../src/http/envelope.ts';
import { StoredAnswersService } from '../../src/idempotency/stored-answers.service.ts';
import { Vault } from '../../src/keys/vault.ts';
import { AppError } from '../../src/lib/errors.ts';
import { newId } from '../../src/lib/ids.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const codeOf = (error: string) => error.split(':')[0];

const post = (app: TestApp, person: Person, url: string, key: string, payload: object = {}) =>
  app.ask({
    method: 'POST',
    url,
    payload,
    headers: { authorization: `Bearer ${person.sessionToken}`, 'idempotency-key': key },
  });

const storedAnswers = (app: TestApp) => app.db.selectFrom('idempotency_keys').selectAll().execute();

onEveryEngine((engine, it) => {
  test('concurrent requests with one Idempotency-Key create one task, and a repeat gets the same answer', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => post(app, ada, '/v1/tasks', 'k1', { title: 'once' })),
    );
    const made = answers.filter(({ status }) => status === 200);
    assert.ok(made.length >= 1);
    assert.equal(new Set(made.map(({ body }) => body.data.id)).size, 1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      assert.deepEqual([status, codeOf(body.error)], [409, 'request_in_progress']);
    }
    const again = await post(app, ada, '/v1/tasks', 'k1', { title: 'once' });
    assert.deepEqual(again.body, made[0]?.body);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    const other = await post(app, ada, '/v1/tasks', 'k1', { title: 'other' });
    assert.deepEqual([other.status, codeOf(other.body.error)], [409, 'idempotency_key_reused']);
    assert.equal((await ada.ask('GET', '/v1/tasks')).body.data.length, 1);
    const bob = await createPerson(app);
    assert.notEqual((await post(app, bob, '/v1/tasks', 'k1', { title: 'once' })).body.data.id, again.body.data.id);
    const refused = await post(app, ada, '/v1/tasks', 'k2', { title: '' });
    assert.equal(refused.status, 422);
    const [first, second] = [
      await ada.ask('POST', '/v1/tasks', { title: 'x' }),
      await ada.ask('POST', '/v1/tasks', { title: 'y' }),
    ];
    const complete = (task: typeof first, key: string) =>
      post(app, ada, `/v1/tasks/${task.body.data.id}/complete`, key);
    assert.equal((await complete(first, 'k5')).status, 200);
    assert.equal(codeOf((await complete(second, 'k5')).body.error), 'idempotency_key_reused', 'of another address');
    await app.clock.advance('23h');
    assert.deepEqual((await post(app, ada, '/v1/tasks', 'k1', { title: 'once' })).body, again.body, 'on the same day');
    await app.clock.advance('2h');
    assert.notEqual((await post(app, ada, '/v1/tasks', 'k1', { title: 'once' })).body.data.id, again.body.data.id);
    assert.equal((await post(app, ada, '/v1/tasks', 'x'.repeat(256), { title: 'x' })).status, 422);
    const { token } = (await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:write'] })).body.data;
    await post(app, ada, '/v1/tasks', 'k3', { title: 'by a session' });
    const byToken = await post(app, { ...ada, sessionToken: token }, '/v1/tasks', 'k3', { title: 'by a session' });
    assert.deepEqual([byToken.status, byToken.headers['idempotent-replayed']], [200, undefined]);
    const cem = await createPerson(app);
    const enrol = () => post(app, cem, '/v1/auth/mfa/enroll', 'k4');
    assert.notEqual((await enrol()).body.data.secret, (await enrol()).body.data.secret);
  });

  test('a committed request is not repeated, even if its answer was lost with the process', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const postOnce = () => post(app, ada, '/v1/tasks', 'lost', { title: 'once' });
    assert.equal((await postOnce()).status, 200);
    const keys = app.db.updateTable('idempotency_keys').where('user_id', '=', ada.userId);
    // The state that the transaction itself stores, without the answer that is stored after it.
    await keys.set({ status: 0, answer: null }).execute();
    const early = await postOnce();
    assert.deepEqual([early.status, codeOf(early.body.error)], [409, 'request_in_progress']);
    await app.clock.advance('2h');
    const refused = await postOnce();
    assert.deepEqual([refused.status, codeOf(refused.body.error)], [409, 'idempotency_key_spent']);
    assert.equal((await ada.ask('GET', '/v1/tasks')).body.data.length, 1);
    // A claim whose request committed nothing expires soon.
    await keys.set({ status: null, expires_at: app.clock.now() }).execute();
    assert.equal((await postOnce()).status, 200);
  });

  it('a refusal with 429 is not stored under the Idempotency-Key', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const bob = await createPerson(app);
    const ask = () => post(app, ada, '/v1/tasks', 'later', { title: 'x', owner_id: bob.userId });
    const requests = await Promise.all(
      Array.from({ length: 20 }, () => ada.ask('POST', '/v1/tasks', { title: 'x', owner_id: bob.userId })),
    );
    assert.equal((await ask()).status, 429);
    await bob.ask('POST', `/v1/tasks/${requests[0]?.body.data.id}/decline`);
    assert.equal((await ask()).status, 200);
  });

  test('a key under which something was committed is never free again, however often its transaction ran', async () => {
    await using app = await startTestApp(engine);
    const { userId } = await createPerson(app);
    const answers = new StoredAnswersService(
      app.db,
      app.clock,
      new Vault(['a key for tests, long enough to be taken']),
    );
    const keyed = (keyHash: string) => ({ userId, keyHash, requestHash: 'request', claim: newId() });
    /** Does the work of a request under this key, whose answer is lost with the process. */
    const work = async (key: string, runs: readonly (() => void)[]) => {
      const request = keyed(key);
      assert.equal(await answers.begin(request), undefined);
      const { promise, resolve } = Promise.withResolvers<unknown>();
      let run = -1;
      answers.runMarked(request, () => {
        const transacting = transact(app.db, async (trx) => {
          await trx.updateTable('users').set({ display_name: key }).where('id', '=', userId).execute();
          run += 1;
          runs[run]?.();
        });
        resolve(transacting.catch((error) => error));
      });
      const outcome = await promise;
      await answers.release(request);
      await app.clock.advance('2m');
      return outcome;
    };
    const again = () => {
      throw new RunAgain();
    };
    const fail = () => {
      throw new Error('refused');
    };
    for (const [key, runs] of [
      ['once', []],
      ['twice', [again]],
      ['three times', [again, again]],
    ] as const) {
      assert.equal(await work(key, runs), undefined);
      await assert.rejects(answers.begin(keyed(key)), { code: 'idempotency_key_spent' }, key);
    }
    assert.match(String(await work('failed', [again, fail])), /refused/);
    assert.equal(await answers.begin(keyed('failed')), undefined, 'nothing was committed');
  });

  it('a secret that is shown once is not stored, and a repetition neither shows it nor makes a second one', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const { id } = (await ada.ask('POST', '/v1/spaces', { name: 'Home' })).body.data;
    const tables = ['access_tokens', 'invites', 'calendar_feeds'] as const;
    const urls = ['/v1/tokens', `/v1/spaces/${id}/invites`, '/v1/me/calendar'];
    for (const [index, url] of urls.entries()) {
      assert.equal((await post(app, ada, url, url)).status, 200);
      const before = await app.db
        .selectFrom(tables[index] ?? 'invites')
        .selectAll()
        .execute();
      const again = await post(app, ada, url, url);
      assert.deepEqual([again.status, codeOf(again.body.error)], [409, 'idempotency_key_spent']);
      assert.deepEqual(
        await app.db
          .selectFrom(tables[index] ?? 'invites')
          .selectAll()
          .execute(),
        before,
      );
    }
    const kept = await storedAnswers(app);
    assert.deepEqual(
      kept.map(({ status, answer }) => [status, answer]),
      Array(3).fill([200, null]),
    );
    // A refusal holds no secret.
    const refused = () => post(app, ada, '/v1/spaces/018f4e9c-2f6b-7abc-8def-0123456789ab/invites', 'nowhere');
    assert.deepEqual((await refused()).body, (await refused()).body);
    assert.equal((await refused()).headers['idempotent-replayed'], 'true');
  });

  test('every answer with one task is kept; a larger answer is not, and its request is not repeated', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    // In JSON each of these characters takes six.
    const task = { title: '\u0001'.repeat(200), notes: '\u0001'.repeat(10_000), kind: '\u0001'.repeat(100) };
    const first = await post(app, ada, '/v1/tasks', 'largest', task);
    assert.equal(first.status, 200);
    const again = await post(app, ada, '/v1/tasks', 'largest', task);
    assert.deepEqual([again.headers['idempotent-replayed'], again.body], ['true', first.body]);
    const tasks = Array.from({ length: 400 }, (_, index) => ({ title: `${index} ${'x'.repeat(150)}` }));
    const report = await post(app, ada, '/v1/me/import', 'import', { tasks });
    assert.equal(report.body.data.imported, 400);
    const repeated = await post(app, ada, '/v1/me/import', 'import', { tasks });
    assert.deepEqual([repeated.status, codeOf(repeated.body.error)], [409, 'idempotency_key_spent']);
    const other = await post(app, ada, '/v1/me/import', 'import', { tasks: [] });
    assert.deepEqual([other.status, codeOf(other.body.error)], [409, 'idempotency_key_reused']);
    assert.ok((await storedAnswers(app)).every(({ answer }) => (answer?.length ?? 0) < 100_000));
  });

  test('an account keeps a limited number of keys and size of answers; the oldest go first', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const limits = { keys: 4, bytes: 2_000, counted: 1_000 };
    const answers = new StoredAnswersService(
      app.db,
      app.clock,
      new Vault(['a key for tests, long enough to be taken']),
      { limits },
    );
    const keyed = (userId: string, key: number) => ({
      userId,
      keyHash: `key ${key}`,
      requestHash: 'request',
      claim: newId(),
    });
    const store = async (userId: string, key: number, length: number) => {
      await app.clock.advance('100ms');
      const request = keyed(userId, key);
      assert.equal(await answers.begin(request), undefined);
      await answers.keep(request, { status: 200, body: 'x'.repeat(length) });
    };
    await store(bob.userId, 0, 10);
    // A request in progress is left alone.
    assert.equal(await answers.begin(keyed(ada.userId, 99)), undefined);
    for (let key = 0; key < 8; key += 1) await store(ada.userId, key, key < 6 ? 10 : 1_000);
    const rows = await app.db.selectFrom('idempotency_keys').selectAll().where('user_id', '=', ada.userId).execute();
    const kept = rows.map(({ key_hash, answer }) => [key_hash, answer !== null]).sort();
    assert.deepEqual(kept, [
      ['key 4', false],
      ['key 5', false],
      ['key 6', false],
      ['key 7', true],
      ['key 99', false],
    ]);
    await assert.rejects(answers.begin(keyed(ada.userId, 4)), { code: 'idempotency_key_spent' });
    await assert.rejects(answers.begin(keyed(ada.userId, 99)), { code: 'request_in_progress' });
    assert.equal((await answers.begin(keyed(ada.userId, 7)))?.body.length, 1_000);
    assert.equal((await answers.begin(keyed(bob.userId, 0)))?.body.length, 10);
  });

  const newAnswers = (app: TestApp, options = {}) =>
    new StoredAnswersService(app.db, app.clock, new Vault(['a key for tests, long enough to be taken']), options);
  const claimOf = (userId: string) => ({ userId, keyHash: 'key', requestHash: 'request', claim: newId() });
  type Claim = ReturnType<typeof claimOf>;

  test('a key that is used anew after its day keeps its new answer when the first one has to go', async () => {
    await using app = await startTestApp(engine);
    for (const limits of [
      // The answers are sealed, so each is a little longer than its text.
      { keys: 1_000, bytes: 1_500, counted: 1_000 },
      { keys: 2, bytes: 1_000_000, counted: 1_000 },
    ]) {
      const { userId } = await createPerson(app);
      const answers = newAnswers(app, { limits });
      const keep = async (keyHash: string) => {
        await app.clock.advance('100ms');
        const request = { ...claimOf(userId), keyHash };
        assert.equal(await answers.begin(request), undefined);
        await answers.keep(request, { status: 200, body: 'x'.repeat(400) });
      };
      await keep('of two days');
      await app.clock.advance('25h');
      await keep('of two days');
      await keep('other');
      const again = await answers.begin({ ...claimOf(userId), keyHash: 'of two days' });
      assert.equal(again?.body.length, 400);
    }
  });

  /** The work of a request: it writes a label and marks the key. */
  const work = (app: TestApp, answers: StoredAnswersService, keyed: ReturnType<typeof claimOf>, name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    answers.runMarked(keyed, () => {
      transact(app.db, async (trx) => {
        await trx.updateTable('users').set({ display_name: name }).where('id', '=', keyed.userId).execute();
      }).then(resolve, reject);
    });
    return promise;
  };

  test('a request that stood still while another one took its key commits nothing and changes nothing of the other', async () => {
    await using app = await startTestApp(engine);
    const { userId } = await createPerson(app);
    const [slow, quick] = [newAnswers(app), newAnswers(app)];
    const [stuck, retry] = [claimOf(userId), claimOf(userId)];
    assert.equal(await slow.begin(stuck), undefined);
    // Its process stands still and renews nothing.
    slow.leave(stuck);
    await assert.rejects(quick.begin(retry), { code: 'request_in_progress' });
    await app.clock.advance('6s');
    assert.equal(await quick.begin(retry), undefined);
    await assert.rejects(work(app, slow, stuck, 'twice'), { code: 'request_in_progress' });
    await slow.keep(stuck, { status: 409, body: 'of the one that stood still' });
    await slow.release(stuck);
    await assert.rejects(slow.begin(claimOf(userId)), { code: 'request_in_progress' });
    await work(app, quick, retry, 'once');
    await quick.keep(retry, { status: 200, body: 'done' });
    await assert.rejects(work(app, slow, stuck, 'twice'), { code: 'request_in_progress' });
    assert.equal((await slow.begin(claimOf(userId)))?.body, 'done');
    const user = app.db.selectFrom('users').select('display_name').where('id', '=', userId);
    assert.equal((await user.executeTakeFirstOrThrow()).display_name, 'once');
  });

  test('a key stays with its request for as long as that takes, and is free seconds after its process died', async () => {
    await using app = await startTestApp(engine);
    const { userId } = await createPerson(app);
    const answers = newAnswers(app, { renewedEveryMs: 10 });
    const request = claimOf(userId);
    assert.equal(await answers.begin(request), undefined);
    const expiry = async () => (await storedAnswers(app))[0]?.expires_at.getTime() ?? 0;
    for (let seconds = 0; seconds < 60; seconds += 5) {
      const before = await expiry();
      await app.clock.advance('5s');
      await waitUntil(async () => (await expiry()) !== before);
      await assert.rejects(answers.begin(claimOf(userId)), { code: 'request_in_progress' });
    }
    answers.leave(request);
    await app.clock.advance('6s');
    assert.equal(await answers.begin(claimOf(userId)), undefined);
  });

  it('a key stays with its request also if the database was away when it was to be renewed', async () => {
    await using app = await startTestApp(engine);
    const { userId } = await createPerson(app);
    const refused = Promise.withResolvers<void>();
    let isAway = true;
    const db = new Proxy(app.db, {
      get: (target, name) => {
        if (name === 'updateTable' && isAway) {
          isAway = false;
          refused.resolve();
          throw new Error('the database is away');
        }
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const answers = newAnswers({ ...app, db }, { renewedEveryMs: 1 });
    const request = claimOf(userId);
    assert.equal(await answers.begin(request), undefined);
    await refused.promise;
    const expiry = async () => (await storedAnswers(app))[0]?.expires_at.getTime() ?? 0;
    const before = await expiry();
    await app.clock.advance('5s');
    await waitUntil(async () => (await expiry()) !== before);
    answers.leave(request);
  });

  it('the key of a request that has ended, with an answer or without, is renewed no more', async () => {
    await using app = await startTestApp(engine);
    const { userId } = await createPerson(app);
    const answers = newAnswers(app, { renewedEveryMs: 100 });
    const claims = ['left', 'answered', 'goes on'].map((keyHash) => ({ ...claimOf(userId), keyHash }));
    const [left, answered, goesOn] = claims as [Claim, Claim, Claim];
    const claimedUntil = async ({ keyHash }: Claim) =>
      (await storedAnswers(app)).find(({ key_hash }) => key_hash === keyHash)?.claimed_until?.getTime() ?? 0;
    for (const request of [left, answered]) assert.equal(await answers.begin(request), undefined);
    answers.leave(left);
    await answers.keep(answered, { status: 200, body: 'done' });
    const ended = [await claimedUntil(left), await claimedUntil(answered)];
    await app.clock.advance('1s');
    assert.equal(await answers.begin(goesOn), undefined);
    const before = await claimedUntil(goesOn);
    await app.clock.advance('1s');
    await waitUntil(async () => (await claimedUntil(goesOn)) !== before);
    answers.leave(goesOn);
    assert.deepEqual([await claimedUntil(left), await claimedUntil(answered)], ended);
  });

  it('a request whose caller has left can be sent again with its key', async () => {
    let hasLeft = true;
    const routes: Routes = (fastify) => {
      fastify.post('/v1/samples', { schema: { hide: true } }, async () => {
        if (hasLeft) throw new AppError('caller_left');
        return ok({});
      });
    };
    const access: AccessTable = { 'POST /v1/samples': 'session' };
    await using app = await startTestApp(engine, { extra: { routes: [routes], access } });
    const ada = await createPerson(app);
    assert.equal((await post(app, ada, '/v1/samples', 'left')).status, 499);
    hasLeft = false;
    assert.equal((await post(app, ada, '/v1/samples', 'left')).status, 200);
  });

  it('what a request goes on to do after its answer leaves the answer as it is', async () => {
    await using app = await startTestApp(engine);
    const { userId } = await createPerson(app);
    const answers = newAnswers(app);
    const request = claimOf(userId);
    assert.equal(await answers.begin(request), undefined);
    const write = (name: string) =>
      transact(app.db, async (trx) => {
        await trx.updateTable('users').set({ display_name: name }).where('id', '=', userId).execute();
      });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    answers.runMarked(request, () => {
      const run = async () => {
        await write('for the answer');
        await answers.keep(request, { status: 200, body: 'done' });
        await write('afterwards');
      };
      run().then(resolve, reject);
    });
    await promise;
    assert.equal((await answers.begin(claimOf(userId)))?.body, 'done');
  });

  it('a key stays with its request also if its process had none under way for a while', async () => {
    await using app = await startTestApp(engine);
    const { userId } = await createPerson(app);
    const [answers, ofOtherProcess] = [newAnswers(app, { renewedEveryMs: 1 }), newAnswers(app, { renewedEveryMs: 1 })];
    for (const [keyHash, process] of [
      ['first', answers],
      // By the time that this one is renewed, the other process has noticed that it has none.
      ['meanwhile', ofOtherProcess],
      ['next', answers],
    ] as const) {
      const request = { ...claimOf(userId), keyHash };
      assert.equal(await process.begin(request), undefined);
      const expiry = async () => (await storedAnswers(app))[0]?.expires_at.getTime() ?? 0;
      const before = await expiry();
      await app.clock.advance('5s');
      await waitUntil(async () => (await expiry()) !== before);
      await process.release(request);
    }
  });

  it('a request that goes on after its commit is under way, and seconds after its process died its key is spent', async () => {
    await using app = await startTestApp(engine);
    const { userId } = await createPerson(app);
    const answers = newAnswers(app, { renewedEveryMs: 10 });
    const request = claimOf(userId);
    assert.equal(await answers.begin(request), undefined);
    await work(app, answers, request, 'once');
    const until = async () => (await storedAnswers(app))[0]?.claimed_until?.getTime() ?? 0;
    for (let seconds = 0; seconds < 20; seconds += 5) {
      const before = await until();
      await app.clock.advance('5s');
      await waitUntil(async () => (await until()) !== before);
      await assert.rejects(answers.begin(claimOf(userId)), { code: 'request_in_progress' });
    }
    answers.leave(request);
    await app.clock.advance('6s');
    await assert.rejects(answers.begin(claimOf(userId)), { code: 'idempotency_key_spent' });
  });
});
