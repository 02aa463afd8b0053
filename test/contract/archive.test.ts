import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine, testOn } from '../support/engines.ts';
import { createPerson, openSession, type Person, renewSignIn } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';

/** An import restores all fields of a task but these. */
const NOT_RESTORED = new Set([
  'id',
  'owner_id',
  'space_id',
  'assigner_id',
  'created_by_token',
  'timeline',
  'task_changes',
  'text_writers',
]);

type Archived = Record<string, unknown> & { id: string; title: string; outcomes: Record<string, unknown>[] };

async function exportOf(person: Person): Promise<{ tasks: Archived[]; [part: string]: unknown }> {
  const { status, body } = await person.ask('GET', '/v1/me/export');
  assert.equal(status, 200);
  return body.data;
}

const restoredFields = (task: Archived) => ({
  ...Object.fromEntries(Object.entries(task).filter(([name]) => !NOT_RESTORED.has(name))),
  outcomes: task.outcomes.map(({ id: _, ...outcome }) => outcome),
});

const sortedTexts = (tasks: Archived[]) => tasks.map((task) => JSON.stringify(restoredFields(task))).toSorted();

const post = (app: TestApp, person: Person, payload: string | Buffer, type = 'application/json', query = '') =>
  app.ask({
    method: 'POST',
    url: `/v1/me/import${query}`,
    headers: { authorization: `Bearer ${person.sessionToken}`, 'content-type': type },
    payload,
  });

const reasonsOf = ({ body }: Answer) => body.data.items.map((item: { reason: string | null }) => item.reason);

/** Tasks of every kind that can be created through the API. */
const shapes = fc.record(
  {
    title: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
    notes: fc.option(fc.string({ unit: 'grapheme', maxLength: 200 })),
    due_at: fc.constantFrom(null, '2026-03-02T23:30:00', '2026-03-01T08:00:00-05:00', '2026-07-01T00:00:00Z'),
    has_time: fc.boolean(),
    recurrence: fc.constantFrom(
      null,
      { freq: 'daily' },
      { freq: 'monthly', count: 4 },
      { rrule: 'FREQ=WEEKLY;BYDAY=MO,TH' },
      { freq: 'weekly', from: 'completion', interval: 2 },
      { every: 'full moon' },
    ),
    lead_time_days: fc.option(fc.integer({ min: 0, max: 30 })),
    mode: fc.constantFrom('escalate', 'notify_once'),
    break_quiet_hours: fc.boolean(),
  },
  { requiredKeys: ['title'] },
);
const LADDERS = [
  { preset: 'gentle' },
  {
    rungs: [
      { after: 0, stage: 0 },
      { after: '21:30', stage: 2 },
    ],
    end: null,
  },
];
const ACTIONS = ['complete', 'skip', 'drop', 'snooze', 'ring-anyway', 'wait'] as const;
const tasksWithActions = fc.array(fc.tuple(shapes, fc.array(fc.constantFrom(...ACTIONS), { maxLength: 3 })), {
  minLength: 1,
  maxLength: 6,
});

async function createAndAct(
  app: TestApp,
  person: Person,
  task: object,
  actions: readonly (typeof ACTIONS)[number][],
): Promise<void> {
  const { body } = await person.ask('POST', '/v1/tasks', task);
  assert.ok(body.data, JSON.stringify(body));
  for (const action of actions) {
    if (action === 'wait') await app.clock.advance('20m');
    const until = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
    if (action !== 'wait') await person.ask('POST', `/v1/tasks/${body.data.id}/${action}`, { until, at: until });
  }
}

const findUserRow = (app: TestApp, id: string) =>
  app.db.selectFrom('users').select('ladders').where('id', '=', id).executeTakeFirst();

/** Ladders of every kind: of a task, of a label, of the account, and without a name; and heads-ups. */
async function chooseLadders(person: Person): Promise<void> {
  const own = {
    name: 'Mine',
    rungs: [
      { after: 0, stage: 1 },
      { after: 20, stage: 2 },
    ],
    end: null,
  };
  const { id: ladder_id } = (await person.ask('POST', '/v1/ladders', own)).body.data;
  await person.ask('PUT', '/v1/ladders/labels', { label: 'x', preset: 'daily' });
  await person.ask('PUT', '/v1/ladders/default', { ladder_id });
  for (const choice of [...LADDERS, { ladder_id }]) {
    const { id } = (await person.ask('POST', '/v1/tasks', { title: 'climbs', kind: 'x', due_at: '2026-03-09T10:00' }))
      .body.data;
    assert.equal((await person.ask('PUT', `/v1/tasks/${id}/ladder`, choice)).status, 200);
    await person.ask('PUT', `/v1/tasks/${id}/heads-ups`, { heads_ups: [{ minutes: 5 }, { days: 1 }, { hours: 2 }] });
  }
}

/** What a new account has anew. */
const NEW_ANYWAY = new Set(['id', 'owner_id', 'created_by_token', 'undo', 'plan_version', 'changed_at']);

/** The tasks as they are stored: a field that an export leaves out is missing in no comparison of exports. */
async function storedOf({ db }: TestApp, { userId }: Person): Promise<string[]> {
  const rows = await db.selectFrom('tasks').selectAll().where('owner_id', '=', userId).execute();
  const kept = rows.map((row) => Object.entries(row).filter(([name]) => !NEW_ANYWAY.has(name)));
  return kept.map((fields) => JSON.stringify(Object.fromEntries(fields))).toSorted();
}

onEveryEngine((engine, it) => {
  test('an export, deleting the account and an import restore every task and the statistics', async () => {
    await using app = await startTestApp(engine);
    const restored = fc.asyncProperty(tasksWithActions, async (tasks) => {
      const ada = await createPerson(app);
      await ada.ask('PATCH', '/v1/me', { timezone: 'Europe/Berlin' });
      await createAndAct(app, ada, { title: 'rings anyway' }, ['snooze', 'ring-anyway']);
      for (const last of ['complete', 'skip'] as const) await createAndAct(app, ada, { title: last }, ['wait', last]);
      for (const [task, actions] of tasks) await createAndAct(app, ada, task, actions);
      await chooseLadders(ada);
      await app.engine?.settled();
      await renewSignIn(app, ada);
      const limits = { shortest_wait: 7, max_stage: 1 };
      const ofAda = app.db.updateTable('tasks').where('owner_id', '=', ada.userId);
      await ofAda.set(limits).where('title', '=', 'rings anyway').execute();
      const [before, stored] = [await exportOf(ada), await storedOf(app, ada)];
      assert.ok(before.tasks.some((task) => 'rings_anyway_at' in task && task.rings_anyway_at !== null));
      const statistics = (await ada.ask('GET', '/v1/stats')).body.data;
      await ada.ask('DELETE', '/v1/me');
      assert.equal((await findUserRow(app, ada.userId))?.ladders ?? null, null);
      const again = await createPerson(app, ada.email);
      const { body } = await again.ask('POST', '/v1/me/import', { ok: true, data: before, error: null });
      assert.equal(body.data.imported, before.tasks.length, JSON.stringify(body));
      const restoredExport = await exportOf(again);
      assert.deepEqual(sortedTexts(restoredExport.tasks), sortedTexts(before.tasks));
      assert.deepEqual(await storedOf(app, again), stored);
      assert.deepEqual(restoredExport.ladders, before.ladders);
      assert.deepEqual((await again.ask('GET', '/v1/stats')).body.data, statistics);
      const twice = await again.ask('POST', '/v1/me/import', before);
      assert.deepEqual([twice.body.data.imported, twice.body.data.skipped], [0, before.tasks.length]);
      assert.deepEqual((await exportOf(again)).ladders, before.ladders);
      assert.deepEqual((await again.ask('GET', '/v1/stats')).body.data, statistics);
      await again.ask('DELETE', '/v1/me');
    });
    await fc.assert(restored, { numRuns: sized(1, 6), endOnFailure: true });
  });

  it('an import adds ladders to what is there, keeps what was chosen, and refuses what is no ladder', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    await ada.ask('PUT', '/v1/ladders/default', { preset: 'gentle' });
    await ada.ask('PUT', '/v1/ladders/labels', { label: 'x', preset: 'daily' });
    const id = '00000000-0000-7000-8000-000000000001';
    // Its wait is too short for most tasks, so the planner lengthens it.
    const own = [
      {
        id,
        name: 'Short',
        rungs: [
          { after: 0, stage: 1 },
          { after: 2, stage: 2 },
        ],
        end: null,
        more: 1,
      },
    ];
    const labels = [
      { label: 'x', ladder: { preset: 'persistent' } },
      { label: 'y', ladder: { ladder_id: id } },
      { label: 'z', ladder: { ladder_id: ada.userId } },
    ];
    const ladders = { own, labels, default: { preset: 'persistent' } };
    const task = { title: 'pills', due_at: '2026-03-02T12:00:00Z', has_time: true, kind: 'y', shortest_wait: 7 };
    // An import that is refused brings no ladder either.
    const before = (await ada.ask('GET', '/v1/ladders')).body.data;
    await ada.ask('POST', '/v1/me/import', { tasks: [task, { title: 'wrong', ladder: {} }], ladders });
    assert.deepEqual((await ada.ask('GET', '/v1/ladders')).body.data, before);
    const { body } = await ada.ask('POST', '/v1/me/import', { tasks: [task], ladders });
    const { more: _, ...short } = own[0] as (typeof own)[number];
    const book = (await ada.ask('GET', '/v1/ladders')).body.data;
    assert.deepEqual(book.ladders, [short]);
    assert.deepEqual(book.labels, [
      { label: 'x', ladder: { preset: 'daily' } },
      { label: 'y', ladder: { ladder_id: id } },
    ]);
    assert.deepEqual(book.default, { preset: 'gentle' });
    const forecast = await ada.ask('GET', `/v1/tasks/${body.data.items[0].id}/forecast`);
    assert.deepEqual(
      forecast.body.data.map(({ at, stage }: { at: string; stage: number }) => `${at.slice(11, 16)} ${stage}`),
      ['12:00 1', '12:07 2'],
    );
    for (const [wrong, reason] of [
      [{ preset: 'loud' }, /^ladder\.preset: /],
      [{ rungs: [{ after: 'soon', stage: 0 }] }, /^ladder\.rungs\.0\.after: /],
      [{}, /^ladder: Send one of/],
    ] as const) {
      const answer = await ada.ask('POST', '/v1/me/import', { tasks: [{ title: 'wrong', ladder: wrong }] });
      assert.match(reasonsOf(answer)[0], reason);
    }
    const heads = await ada.ask('POST', '/v1/me/import', { tasks: [{ title: 'wrong', heads_ups: [{}] }] });
    assert.match(reasonsOf(heads)[0], /^heads_ups: Send one of/);
    const refused = await ada.ask('POST', '/v1/me/import', { tasks: [], ladders: { ...ladders, own: [{ id }] } });
    assert.deepEqual([refused.status, refused.body.detail[0].loc.slice(0, 3)], [422, ['body', 'ladders', 'own']]);
  });

  it('an import takes no ladder that a person could not choose for any task', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const id = '00000000-0000-7000-8000-000000000001';
    const forEver = { repeat_last: 1, times: null };
    const wrong = (after: number, stages: readonly [number, number], end: object | null) => ({
      rungs: [
        { after: 0, stage: stages[0] },
        { after, stage: stages[1] },
      ],
      end,
    });
    for (const [ladder, said] of [
      [wrong(60, [2, 0], forEver), 'A rung has a lower stage than the one before it. Stages only rise.'],
      [wrong(1, [0, 2], forEver), 'This ladder has more than 300 nudges a day.'],
      [wrong(0, [0, 2], null), 'Later rungs come at least 1 minute after the previous nudge.'],
      [wrong(60, [0, 2], { repeat_last: 2, times: 1 }), /^The rung at the due moment cannot be repeated/],
    ] as const) {
      const assertSaid = (text: string) =>
        typeof said === 'string' ? assert.equal(text, said) : assert.match(text, said);
      const ladders = { own: [{ id, name: 'Wrong', ...ladder }], labels: [], default: { ladder_id: id } };
      const book = await ada.ask('POST', '/v1/me/import', { tasks: [{ title: 'pills' }], ladders });
      assert.deepEqual([book.status, book.body.detail?.[0].loc], [422, ['body', 'ladders', 'own', 0, 'rungs']]);
      assertSaid(book.body.detail[0].msg);
      const task = { title: 'pills', break_quiet_hours: true, ladder };
      const [reason] = reasonsOf(await ada.ask('POST', '/v1/me/import', { tasks: [task] }));
      assert.ok(reason?.startsWith('ladder: '), reason);
      assertSaid(reason.slice('ladder: '.length));
    }
    const { ladders, default: chosen } = (await ada.ask('GET', '/v1/ladders')).body.data;
    assert.deepEqual([ladders, chosen], [[], null]);
    assert.equal((await ada.ask('GET', '/v1/stats')).body.data.open, 0);
  });

  it('an imported task that is long overdue gets one nudge and then follows the ladder, without a burst', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const { body } = await ada.ask('POST', '/v1/me/import', {
      tasks: [{ title: 'pills', due_at: '2020-01-01T09:00:00Z', has_time: true }],
    });
    const read = async () => (await ada.ask('GET', `/v1/tasks/${body.data.items[0].id}`)).body.data;
    await app.clock.advance('1m');
    assert.equal((await read()).nudge_count, 1);
    assert.equal((await read()).next_fire_at, '2026-03-02T09:15:00.000Z');
    await app.clock.advance('15m');
    assert.equal((await read()).nudge_count, 2);
  });

  test('an export contains everything of the account, but no secret, no hash and nothing of other people', async () => {
    await using app = await startTestApp(engine);
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    const { body: minted } = await ada.ask('POST', '/v1/tokens', { name: 'agent' });
    await ada.ask('POST', '/v1/devices', { ios_push_token: 'ab'.repeat(32) });
    const url = 'https://example.org/hook-secret';
    await ada.ask('POST', '/v1/channels', { provider: 'webhook', fields: { url } });
    await ada.ask('PATCH', '/v1/channels', { fallback_minutes: 4 });
    const { body: space } = await ada.ask('POST', '/v1/spaces', { name: 'home' });
    const { body: feed } = await ada.ask('POST', '/v1/me/calendar');
    await ada.ask('POST', '/v1/tasks', { title: 'for grace', owner_id: grace.userId });
    await grace.ask('POST', '/v1/tasks', { title: 'for ada', owner_id: ada.userId });
    await grace.ask('POST', '/v1/tasks', { title: 'private to grace' });
    const response = await app.fastify.inject({
      url: '/v1/me/export',
      headers: { authorization: `Bearer ${ada.sessionToken}` },
    });
    const { data } = response.json();
    assert.equal(response.headers['content-disposition'], 'attachment; filename="crescendo-2026-03-02.json"');
    assert.equal(response.headers['cache-control'], 'no-store');
    assert.deepEqual([data.schema_version, data.settings.email], [1, ada.email]);
    assert.deepEqual(
      data.tasks.map(({ title }: Archived) => title),
      ['for ada'],
    );
    assert.deepEqual(
      data.requests.map(({ title }: Archived) => title),
      ['for grace'],
    );
    assert.deepEqual([data.spaces[0].id, data.spaces[0].role], [space.data.id, 'owner']);
    assert.deepEqual([data.access_tokens[0].name, data.devices[0].platform], ['agent', 'ios']);
    const [{ provider, label }] = data.channels;
    assert.deepEqual([provider, label, data.fallback_minutes], ['webhook', 'example.org …cret', 4]);
    assert.doesNotMatch(JSON.stringify(data.channels), /hook-secret|whsec|address/);
    const token = feed.data.url.split('/').at(-1);
    for (const secret of [minted.data.token, ada.sessionToken, 'ab'.repeat(32), token, grace.email, 'private to grace'])
      assert.ok(!response.body.includes(secret));
    assert.doesNotMatch(response.body, /_hash|secret|subject|"undo"/);
  });

  it('colours of labels come back, and none replaces the one that the account has', async () => {
    await using app = await startTestApp(engine);
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    const colours = [
      { label: 'bill', colour: 'gold' },
      { label: 'home', colour: 'teal' },
    ];
    await ada.ask('PUT', '/v1/labels', { labels: colours });
    const document = await exportOf(ada);
    assert.deepEqual(document.labels, colours);
    await grace.ask('PUT', '/v1/labels', { labels: [{ label: 'bill', colour: 'red' }] });
    const forged = [{ label: 'x', colour: 'url(//evil)' }, 'x', { label: 'x'.repeat(101), colour: 'red' }];
    const { status } = await grace.ask('POST', '/v1/me/import', { ...document, labels: [...colours, ...forged] });
    assert.equal(status, 200);
    assert.deepEqual((await grace.ask('GET', '/v1/labels')).body.data, [
      { label: 'bill', colour: 'red' },
      { label: 'home', colour: 'teal' },
    ]);
  });

  it('spaces and assigners are not imported, and the report says for how many tasks', async () => {
    await using app = await startTestApp(engine);
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    const { body: space } = await ada.ask('POST', '/v1/spaces', { name: 'home' });
    await ada.ask('POST', '/v1/tasks', { title: 'shared', space_id: space.data.id });
    await grace.ask('POST', '/v1/tasks', { title: 'asked', owner_id: ada.userId });
    const document = await exportOf(ada);
    await ada.ask('DELETE', '/v1/me');
    const again = await createPerson(app, ada.email);
    const { body } = await again.ask('POST', '/v1/me/import', document);
    assert.deepEqual(body.data.left_behind, { spaces: 1, assigners: 1 });
    const { tasks } = await exportOf(again);
    assert.deepEqual(
      new Set(tasks.map(({ space_id, assigner_id }) => `${space_id} ${assigner_id}`)),
      new Set(['null null']),
    );
    assert.deepEqual(tasks.filter(({ accepted_by_owner }) => !accepted_by_owner).length, 1);
  });

  test("an import with the id of another account's task neither changes that task nor takes it over", async () => {
    await using app = await startTestApp(engine);
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    const { body: own } = await ada.ask('POST', '/v1/tasks', { title: "ada's" });
    const document = { tasks: [{ id: own.data.id, title: "grace's" }] };
    const first = await grace.ask('POST', '/v1/me/import', document);
    const second = await grace.ask('POST', '/v1/me/import', document);
    const [item] = first.body.data.items;
    assert.equal(item.result, 'imported');
    assert.notEqual(item.id, own.data.id);
    assert.deepEqual([second.body.data.items[0].result, second.body.data.items[0].id], ['already_there', item.id]);
    assert.equal((await ada.ask('GET', `/v1/tasks/${own.data.id}`)).body.data.title, "ada's");
    assert.equal((await grace.ask('GET', `/v1/tasks/${own.data.id}`)).status, 404);
    assert.equal((await ada.ask('GET', '/v1/stats')).body.data.open, 1);
  });

  it('if one task is refused none is imported, unless a partial import is requested', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const document = { tasks: [{ title: 'good' }, { title: '' }, { title: 'x', due_at: '2026-02-30T09:00:00Z' }] };
    const refused = await ada.ask('POST', '/v1/me/import', document);
    assert.deepEqual([refused.status, refused.body.data.imported, refused.body.data.refused], [200, 0, 2]);
    assert.deepEqual(
      refused.body.data.items.map(({ result }: { result: string }) => result),
      ['left_out', 'refused', 'refused'],
    );
    assert.deepEqual(reasonsOf(refused), [
      null,
      'title: String should have at least 1 character',
      'due_at: Input should be a valid ISO 8601 date-time',
    ]);
    assert.equal((await exportOf(ada)).tasks.length, 0);
    const partial = await ada.ask('POST', '/v1/me/import?partial=true', document);
    assert.deepEqual([partial.body.data.imported, partial.body.data.refused], [1, 2]);
    assert.equal((await exportOf(ada)).tasks.length, 1);
  });

  it('a hostile document is refused as a whole or task by task, and nothing of it is imported', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const good = { title: 'x', due_at: '2026-03-02T09:00:00Z' };
    const hostile: object[] = [
      { ...good, title: 5 },
      { ...good, title: 'x'.repeat(201) },
      { ...good, notes: 'x'.repeat(10_001) },
      { ...good, recurrence: { rrule: 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30' } },
      { ...good, mode: 'shout' },
      { ...good, recurrence: { freq: 'daily', count: 1e9 } },
      { ...good, kind: 'x'.repeat(2 ** 20 + 1) },
      { ...good, status: 'won' },
      { ...good, step: -1 },
      { ...good, nudge_count: 2 ** 31 },
      { ...good, id: 'x' },
      { ...good, due_written: 'yesterday' },
      { ...good, due_written: '2026-03-03T09:00:00Z' },
      { ...good, series_first: '2026-03-02T09:00:00Z' },
      { ...good, created_at: 'once' },
      { ...good, max_stage: 9 },
      { ...good, outcomes: [{ outcome: 'won', recorded_at: good.due_at }] },
      { ...good, outcomes: 'many' },
    ];
    const each = await ada.ask('POST', '/v1/me/import', { tasks: [...hostile, null, [], 'task', 7] });
    assert.equal(each.body.data.refused, hostile.length + 4, JSON.stringify(reasonsOf(each)));
    const { body: duplicates } = await ada.ask('POST', '/v1/me/import', {
      tasks: [
        { title: 'x', id: ada.userId },
        { title: 'y', id: ada.userId },
      ],
    });
    assert.equal(duplicates.data.refused, 1);
    const whole: [payload: string | Buffer, problem: string][] = [
      ['', 'missing'],
      ['{}', 'missing'],
      ['[]', 'missing'],
      ['{"tasks":{}}', 'missing'],
      ['{"schema_version":2,"tasks":[]}', 'literal_error'],
      ['{"tasks":[', 'json_invalid'],
      [Buffer.from([0x22, 0xff, 0x22]), 'string_unicode'],
      ['{"tasks":[{"title":"a\\u0000b"}]}', 'string_unicode'],
      ['{"tasks":[{"title":"\\ud800"}]}', 'string_unicode'],
      ['{"tasks":[],"__proto__":{"a":1}}', 'value_error'],
      [`{"tasks":${'['.repeat(5_000_000)}`, 'too_deep'],
      [`[${'1,'.repeat(4_000_000)}1]`, 'too_long'],
    ];
    // The file is read before the database is asked, so the second engine gets one of them by default.
    for (const [payload, problem] of engine === 'sqlite' ? whole : sized(whole.slice(0, 1), whole)) {
      const { status, body } = await post(app, ada, payload);
      assert.deepEqual([status, body.detail?.[0]?.type], [422, problem], payload.slice(0, 60).toString());
    }
    assert.equal((await exportOf(ada)).tasks.length, 0);
  });

  it('an import accepts up to 25 MiB in two formats, and an Idempotency-Key makes it happen once', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const limit = 25 * 1024 * 1024;
    const filled = `{"tasks":[{"title":"x"}],"ignored":"${'x'.repeat(limit)}`;
    assert.equal((await post(app, ada, `${filled.slice(0, limit - 2)}"}`)).status, 200);
    assert.equal((await post(app, ada, `${filled.slice(0, limit - 1)}"}`)).status, 413);
    assert.equal((await post(app, ada, 'title\nx', 'text/csv')).status, 415);
    assert.equal((await app.ask({ method: 'POST', url: '/v1/tasks', payload: filled })).status, 401);
    const headers = { authorization: `Bearer ${ada.sessionToken}`, 'idempotency-key': 'once' };
    const ask = (title: string) =>
      app.ask({ method: 'POST', url: '/v1/me/import', headers, payload: { tasks: [{ title }] } });
    const first = await ask('once');
    const otherKind = { ...headers, 'content-type': 'text/calendar' };
    const payload = JSON.stringify({ tasks: [{ title: 'once' }] });
    assert.equal((await app.ask({ method: 'POST', url: '/v1/me/import', headers: otherKind, payload })).status, 409);
    assert.deepEqual((await ask('once')).body, first.body);
    assert.equal((await ask('twice')).status, 409);
  });

  testOn(
    'sqlite',
    engine,
    'a large export arrives complete while other requests are answered, and one that fails is cut off',
    async () => {
      await using app = await startTestApp(engine);
      const grace = await createPerson(app);
      const address = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
      const dueAt = new Date('2027-01-01T09:00:00Z');
      const [owner = ''] = await insertDueTasks(app.db, { tasks: 8_000, owners: 1, dueAt, withDevices: false });
      const headers = { authorization: `Bearer ${await openSession(app, owner)}` };
      const whole = await fetch(`${address}/v1/me/export`, { headers });
      const chunks: Uint8Array[] = [];
      for await (const chunk of whole.body ?? []) {
        chunks.push(chunk);
        if (chunks.length % 50 === 0) assert.equal((await grace.ask('GET', '/v1/me')).status, 200);
      }
      assert.ok(chunks.length > 50);
      const { data } = JSON.parse(Buffer.concat(chunks).toString());
      assert.equal(new Set(data.tasks.map(({ id }: Archived) => id)).size, 8_000);

      const cut = await fetch(`${address}/v1/me/export`, { headers });
      const reader = cut.body?.getReader();
      await reader?.read();
      await app.db.schema.alterTable('timeline').renameTo('gone').execute();
      const readOn = async () => {
        while (!(await reader?.read())?.done);
      };
      await assert.rejects(readOn, /terminated/);
    },
  );
});
