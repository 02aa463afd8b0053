import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { type SearchCursor, TaskSearchService } from '../../src/tasks/task-search.service.ts';
import { mintToken } from '../support/agents.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { countTurns } from '../support/turns.ts';

const create = async (person: Person, fields: object): Promise<string> => {
  const { status, body } = await person.ask('POST', '/v1/tasks', fields);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.id;
};

const search = async (person: Person, query: Record<string, string>): Promise<string[]> => {
  const { status, body } = await person.ask('GET', `/v1/tasks/search?${new URLSearchParams(query)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map(({ title }: { title: string }) => title);
};

async function searchToTheEnd(person: Person, query: string): Promise<string[]> {
  const found: string[] = [];
  for (let more = ''; ; ) {
    const { body, headers } = await person.ask('GET', `/v1/tasks/search?${query}${more}`);
    found.push(...body.data.map(({ title }: { title: string }) => title));
    if (headers['x-next-cursor'] === undefined) return found;
    more = `&cursor=${headers['x-next-cursor']}`;
  }
}

/** As a program with an access token sees it. */
const asToken =
  (app: TestApp, token: string) => async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) =>
    app.ask({ method, url, headers: { authorization: `Bearer ${token}` }, ...(payload && { payload }) });

onEveryEngine((engine, it) => {
  test('a search finds the own tasks by words, kind, space, status and due day, in the order of the list', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    await ada.ask('PATCH', '/v1/me', { timezone: 'America/New_York' });
    const space = (await ada.ask('POST', '/v1/spaces', { name: 'Zuhause' })).body.data.id;
    await create(ada, { title: 'Call the DENTIST', due_at: '2026-03-04T23:30:00', has_time: true });
    await create(ada, { title: 'Dentist bill', notes: 'pay by transfer', due_at: '2026-03-05T00:00:00' });
    await create(ada, { title: 'Müll', kind: 'chore', space_id: space, due_at: '2026-03-06T08:00:00', has_time: true });
    const done = await create(ada, { title: 'Old dentist' });
    await ada.ask('POST', `/v1/tasks/${done}/complete`);
    await create(await createPerson(app), { title: 'Dentist of another person' });
    const open = { status: 'open' };
    const cases: [query: Record<string, string>, titles: string[]][] = [
      [{ ...open, q: 'dentist' }, ['Call the DENTIST', 'Dentist bill']],
      [{ ...open, q: ' transfer  BILL ' }, ['Dentist bill']],
      [{ ...open, q: 'MÜLL' }, ['Müll']],
      [{ ...open, q: '%' }, []],
      [{ q: 'dentist', status: 'done' }, ['Old dentist']],
      [{ q: 'dentist' }, ['Call the DENTIST', 'Dentist bill', 'Old dentist']],
      [{ kind: 'Chore' }, ['Müll']],
      [{ space: 'zuhause' }, ['Müll']],
      [{ space }, ['Müll']],
      [{ space: 'elsewhere' }, []],
      [{ due_from: '2026-03-04', due_until: '2026-03-04' }, ['Call the DENTIST']],
      [{ due_from: '2026-03-05', due_until: '2026-03-06' }, ['Dentist bill', 'Müll']],
      [{ due_until: '2026-03-06T07:59' }, ['Call the DENTIST', 'Dentist bill']],
      [{ due_from: '2026-03-06T13:00:00Z' }, ['Müll']],
    ];
    for (const [query, titles] of cases) assert.deepEqual(await search(ada, query), titles, JSON.stringify(query));
    const wrong = await ada.ask('GET', '/v1/tasks/search?due_from=tomorrow');
    assert.deepEqual([wrong.status, wrong.body.detail[0].loc], [422, ['query', 'due_from']]);
  });

  test('a search folds letters and has the best matches first: all words, then most, the title before the notes', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    await create(ada, { title: 'Einkauf', notes: 'Müll, Tüten' });
    await create(ada, { title: 'Tüten' });
    await create(ada, { title: 'Nur Notiz', notes: 'TUETEN holen' });
    await create(ada, { title: 'Muell und Tüten' });
    await create(ada, { title: 'Kaffee', kind: 'Café' });
    assert.deepEqual(await search(ada, { q: 'muell tueten' }), ['Muell und Tüten', 'Einkauf']);
    const ranked = ['Muell und Tüten', 'Einkauf', 'Tüten', 'Nur Notiz'];
    assert.deepEqual(await search(ada, { q: 'MÜLL tüten', match: 'some' }), ranked);
    assert.deepEqual(await searchToTheEnd(ada, 'q=m%C3%BCll%20t%C3%BCten&match=some&limit=1'), ranked);
    assert.deepEqual(await search(ada, { q: 'cafe' }), ['Kaffee']);
    const { headers } = await ada.ask('GET', '/v1/tasks/search?q=m%C3%BCll%20tuten&match=some');
    assert.equal(String(headers['x-found-all']), '2');
  });

  test('a search goes on where its page ended, and finds every task exactly once', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    for (let index = 0; index < 9; index += 1) {
      await create(ada, { title: index % 2 === 0 ? `even ${index}` : `odd ${index}` });
    }
    const cases: [query: string, count: number][] = [
      ['q=even&limit=2', 5],
      ['q=even&limit=5', 5],
      ['limit=4', 9],
      ['q=even&limit=100', 5],
    ];
    for (const [query, count] of cases) {
      const found = await searchToTheEnd(ada, query);
      assert.deepEqual([found.length, new Set(found).size], [count, count], query);
    }
  });

  it('a search finds a task behind a hundred others', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const others = Array.from({ length: 101 }, (_, index) => ({
      title: `hay ${index}`,
      due_at: '2026-04-01T08:00:00',
    }));
    const tasks = [...others, { title: 'needle', due_at: '2026-05-01T08:00:00' }];
    await ada.ask('POST', '/v1/me/import', { tasks });
    assert.equal((await searchToTheEnd(ada, 'q=needle')).length, 1);
  });

  it('a search through long notes lets others be served after every few, and ends when its caller has left', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const notes = '\ufdfa'.repeat(10_000);
    const tasks = Array.from({ length: 60 }, (_, index) => ({ title: `${index}`, notes }));
    await ada.ask('POST', '/v1/me/import', { format: 'crescendo', version: 1, tasks });
    const search = async (q: string) => assert.equal((await ada.ask('GET', `/v1/tasks/search?q=${q}`)).status, 200);
    await search('x');
    assert.ok((await countTurns(search('x'))) >= tasks.length / 5);
    const read: number[] = [];
    const left = new AbortController();
    const leave = (page: readonly unknown[]) => {
      read.push(page.length);
      left.abort(new AppError('caller_left'));
    };
    const searching = new TaskSearchService(app.db, app.clock).search(
      { kind: 'session', userId: ada.userId, sessionId: '', provenAt: new Date(0) },
      { q: 'x', limit: 50, after: undefined },
      leave,
      left.signal,
    );
    await assert.rejects(searching, { code: 'caller_left' });
    assert.equal(read.length, 1);
  });

  it('a search through more tasks than one call compares finds each of the last ones once', async () => {
    await using app = await startTestApp(engine);
    const bulk = { tasks: 5_200, owners: 1, dueAt: app.clock.now(), withDevices: false };
    const [userId = ''] = await insertDueTasks(app.db, bulk);
    const last = await app.db.selectFrom('tasks').select('id').orderBy('id', 'desc').limit(5).execute();
    const ids = last.map(({ id }) => id).toSorted();
    await app.db.updateTable('tasks').set({ title: 'moon' }).where('id', 'in', ids).execute();
    const service = new TaskSearchService(app.db, app.clock);
    const caller = { kind: 'session', userId, sessionId: 'any', provenAt: app.clock.now() } as const;
    const found: string[] = [];
    let after: SearchCursor | undefined;
    for (let calls = 0; calls === 0 || (after && calls < 6); calls += 1) {
      const query = { q: 'full moon', match: 'some', limit: 2, after } as const;
      const page = await service.search(caller, query, () => undefined, new AbortController().signal);
      found.push(...page.tasks.map(({ id }) => id));
      after = page.next;
    }
    assert.deepEqual([found, after], [ids, undefined]);
  });

  it('an answer with much text ends early, goes on at its cursor, and is charged by its text', async () => {
    await using app = await startTestApp(engine, { settings: { COST_BUDGET_PER_MINUTE: '30000' } });
    const ada = await createPerson(app);
    const notes = '\u{1F600}'.repeat(10_000);
    const recurrence = Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [`k${index}`, 1]));
    const tasks = Array.from({ length: 30 }, (_, index) => ({ title: `${index}`, notes, recurrence }));
    await ada.ask('POST', '/v1/me/import', { format: 'crescendo', version: 1, tasks });
    const { body } = await ada.ask('GET', '/v1/tasks/search?limit=100');
    assert.ok(body.data.length >= 3 && body.data.length <= 5, `${body.data.length}`);
    assert.equal((await searchToTheEnd(ada, 'limit=100')).length, tasks.length);
    const listed = (await ada.ask('GET', '/v1/tasks')).body.data.map(({ id }: { id: string }) => id);
    for (const url of ['/v1/tasks', '/v1/tasks?limit=100', '/v1/sync', '/v1/me/export?importable=true'])
      assert.ok((await countTurns(ada.ask('GET', url))) >= tasks.length / 4, url);
    const asking = ada.ask('GET', `/v1/tasks/search?ids=${listed}`);
    assert.ok((await countTurns(asking)) >= tasks.length / 4);
    const shown = (await asking).body.data;
    assert.deepEqual(
      shown.map(({ id }: { id: string }) => id),
      listed,
    );
    assert.deepEqual([shown[29].notes, shown[29].recurrence], [notes, recurrence]);
    let spent = 0;
    while ((await ada.ask('GET', `/v1/tasks/search?ids=${listed}`)).status === 200) spent += 1;
    // By rows alone there would be a thousand.
    assert.ok(spent < 20, `${spent} more`);
  });

  it('a search says whose words a task is, and a token sees the tasks of its own user only', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    await bob.ask('PATCH', '/v1/me', { display_name: 'Bob' });
    const [own, other] = [await mintToken(ada, { name: 'Mine' }), await mintToken(ada, { name: 'Robot' })];
    await create(ada, { title: 'by the owner' });
    await create(bob, { title: 'by a person', owner_id: ada.userId });
    await asToken(app, own.token)('POST', '/v1/tasks', { title: 'by this token' });
    await asToken(app, other.token)('POST', '/v1/tasks', { title: 'by another token' });
    await ada.ask('POST', '/v1/me/import', { format: 'crescendo', version: 1, tasks: [{ title: 'imported' }] });
    const { body } = await asToken(app, own.token)('GET', '/v1/tasks/search');
    const writers = body.data.map(({ title, written_by }: Record<string, unknown>) => [title, written_by]);
    assert.deepEqual(Object.fromEntries(writers), {
      'by the owner': { kind: 'you', name: null },
      'by a person': { kind: 'person', name: 'Bob' },
      'by this token': { kind: 'you', name: null },
      'by another token': { kind: 'agent', name: 'Robot' },
      imported: { kind: 'import', name: null },
    });
    const ids = body.data.map(({ id }: { id: string }) => id);
    const read = async (token: string) =>
      (await asToken(app, token)('GET', `/v1/tasks/search?ids=${ids}`)).body.data.length;
    assert.equal(await read(own.token), 5);
    assert.equal(await read((await mintToken(bob)).token), 0);
    // Bob sees the task that he assigned, but it is not his own.
    assert.equal((await bob.ask('GET', `/v1/tasks/search?ids=${ids}`)).body.data.length, 0);
    const blind = await mintToken(ada, { scopes: ['tasks:write'] });
    assert.equal((await asToken(app, blind.token)('GET', '/v1/tasks/search')).status, 403);
  });

  it('each text of a task is marked with its last writer, also after its assigner and its token are gone', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    await bob.ask('PATCH', '/v1/me', { display_name: 'Bob' });
    const mint = (name: string) => mintToken(ada, { name, max_open_tasks: 50 });
    const [mine, robot] = [await mint('Mine'), await mint('Robot')];
    const asMine = asToken(app, mine.token);
    const asRobot = asToken(app, robot.token);
    const [you, person, agent] = [
      { kind: 'you', name: null },
      { kind: 'person', name: 'Bob' },
      { kind: 'agent', name: 'Robot' },
    ];
    const writersOf = async (id: string) => {
      const { written_by, notes_written_by, kind_written_by } = (await asMine('GET', `/v1/tasks/search?ids=${id}`)).body
        .data[0];
      return [written_by, notes_written_by, kind_written_by];
    };
    const own = await create(ada, { title: 'pills', notes: 'two' });
    assert.deepEqual(await writersOf(own), [you, you, you]);
    await asRobot('PATCH', `/v1/tasks/${own}`, { notes: 'three', title: 'pills' });
    assert.deepEqual(await writersOf(own), [you, agent, you]);
    await asRobot('PATCH', `/v1/tasks/${own}`, { title: 'tablets', kind: 'health' });
    await ada.ask('PATCH', `/v1/tasks/${own}`, { notes: 'two again' });
    assert.deepEqual(await writersOf(own), [agent, you, agent]);
    await asMine('PATCH', `/v1/tasks/${own}`, { notes: null });
    assert.deepEqual(await writersOf(own), [agent, null, agent]);
    const asked = await create(bob, { title: 'call me', notes: 'soon', owner_id: ada.userId });
    await bob.ask('PATCH', `/v1/tasks/${asked}`, { title: 'call Bob' });
    assert.deepEqual(await writersOf(asked), [person, person, you]);
    const imported = { format: 'crescendo', version: 1, tasks: [{ title: 'from a file', notes: 'x' }] };
    const { items } = (await ada.ask('POST', '/v1/me/import', imported)).body.data;
    const file = { kind: 'import', name: null };
    await ada.ask('PATCH', `/v1/tasks/${items[0].id}`, { title: 'my own words' });
    assert.deepEqual(await writersOf(items[0].id), [you, file, file]);
    // A token that reopens a task counts it, and is not its writer.
    const robots = (await asRobot('POST', '/v1/tasks', { title: "the robot's" })).body.data.id;
    await asMine('POST', `/v1/tasks/${robots}/complete`);
    await asMine('POST', `/v1/tasks/${robots}/reopen`);
    assert.deepEqual(await writersOf(robots), [agent, null, you]);
    await ada.ask('DELETE', `/v1/tokens/${robot.id}`);
    assert.deepEqual((await writersOf(robots))[0], { kind: 'agent', name: null });
    await bob.ask('DELETE', '/v1/me');
    assert.deepEqual((await writersOf(asked))[0], { kind: 'person', name: null });
    const { tasks } = (await ada.ask('GET', '/v1/me/export')).body.data;
    const exported = tasks.find(({ id }: { id: string }) => id === own).text_writers;
    assert.deepEqual(exported, [
      { field: 'kind', by: 'owner', token_id: robot.id },
      { field: 'notes', by: 'owner', token_id: mine.id },
      { field: 'title', by: 'owner', token_id: robot.id },
    ]);
    await ada.ask('DELETE', '/v1/me');
    assert.deepEqual(await app.db.selectFrom('text_writers').selectAll().execute(), []);
  });

  it('a moved occurrence is the only one that moves, earlier or later, however it is closed', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    await ada.ask('PATCH', '/v1/me', { timezone: 'Europe/Berlin' });
    const cases: [fields: object, move: object, moved: string, next: string][] = [
      // Now is Monday, 2 March 2026 at 10:00 in Berlin.
      [TIMED, { due_at: '2026-03-03T07:00' }, '2026-03-03T06:00:00.000Z', '2026-03-04T08:00:00.000Z'],
      [TIMED, { due_at: '2026-03-03T11:00' }, '2026-03-03T10:00:00.000Z', '2026-03-04T08:00:00.000Z'],
      [TIMED, { due_at: '2026-03-02T23:00' }, '2026-03-02T22:00:00.000Z', '2026-03-04T08:00:00.000Z'],
      [TIMED, { due_at: '2026-03-06T00:00', date_only: true }, '2026-03-06T08:00:00.000Z', '2026-03-04T08:00:00.000Z'],
      [
        ALL_DAY,
        { due_at: '2026-03-02T00:00', date_only: true },
        '2026-03-01T23:00:00.000Z',
        '2026-03-03T23:00:00.000Z',
      ],
      [HOURLY, { due_at: '2026-03-03T08:30' }, '2026-03-03T07:30:00.000Z', '2026-03-03T14:00:00.000Z'],
    ];
    for (const [fields, move, moved, next] of cases) {
      const shown = JSON.stringify([fields, move]);
      const id = await create(ada, { title: 'pills', ...fields });
      const { body } = await ada.ask('POST', `/v1/tasks/${id}/move`, move);
      assert.equal(body.data?.due_at, moved, `${shown} ${JSON.stringify(body)}`);
      for (const action of ['complete', 'reopen', 'skip']) {
        const { body: after } = await ada.ask('POST', `/v1/tasks/${id}/${action}`);
        assert.equal(after.data.due_at, action === 'reopen' ? moved : next, `${shown} ${action}`);
      }
    }
  });

  it('a preview lists the dates that the task then has, and stores nothing', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    await ada.ask('PATCH', '/v1/me', { timezone: 'Europe/Amsterdam' });
    const first = { due_at: '2026-03-27T20:00:00+01:00', has_time: true };
    const id = await create(ada, { title: 'pills', ...first });
    const rules = [
      { freq: 'daily', by_time: ['08:00', '20:00'] },
      { freq: 'hourly', interval: 8 },
      { freq: 'hourly', interval: 6, from: 'completion', between: ['08:00', '22:00'], per_day: 2 },
      { freq: 'monthly', by_month_day: [31, -1] },
      { rrule: 'FREQ=MONTHLY;BYDAY=2SU,-1FR;COUNT=4' },
      { freq: 'weekly', from: 'completion', until: '2026-04-20' },
    ];
    for (const recurrence of rules) {
      const preview = await ada.ask('POST', `/v1/tasks/${id}/preview`, { recurrence });
      assert.equal((await ada.ask('GET', `/v1/tasks/${id}`)).body.data.recurrence, null);
      const copy = await create(ada, { title: 'copy', ...first, recurrence });
      const came: string[] = [];
      for (let due = first.due_at; came.length < 5; ) {
        app.clock.set(due);
        const { data } = (await ada.ask('POST', `/v1/tasks/${copy}/complete`)).body;
        if (data.status !== 'open') break;
        due = data.due_at;
        came.push(due);
      }
      assert.ok(came.length > 1, JSON.stringify(recurrence));
      assert.deepEqual(preview.body.data, came, JSON.stringify(recurrence));
      app.clock.set('2026-03-02T09:00:00Z');
    }
    const never = await ada.ask('POST', `/v1/tasks/${id}/preview`, {
      recurrence: { freq: 'monthly', by_month_day: 0 },
    });
    assert.equal(never.body.detail[0].loc.at(-1), 'by_month_day');
  });

  it('a move is refused for a closed task, a passed occurrence, or a time in an all-day series', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const [day, timed] = [await create(ada, { title: 'd', ...ALL_DAY }), await create(ada, { title: 't', ...TIMED })];
    const move = (id: string, payload: object) => ada.ask('POST', `/v1/tasks/${id}/move`, payload);
    assert.equal((await move(day, { due_at: '2026-03-05T10:00' })).body.detail[0].loc[1], 'due_at');
    const passed = await move(timed, { due_at: '2026-03-05T10:00', occurrence_due_at: '2026-03-01T09:00:00Z' });
    assert.match(passed.body.error, /^occurrence_passed: /);
    await ada.ask('POST', `/v1/tasks/${timed}/drop`);
    assert.match((await move(timed, { due_at: '2026-03-05T10:00' })).body.error, /^task_closed: /);
    const once = await create(ada, { title: 'once' });
    assert.equal((await move(once, { due_at: '2026-03-05T10:00' })).body.data.has_time, true);
  });

  it('an exported and imported series still knows that its occurrence was moved', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const id = await create(ada, { title: 'pills', ...TIMED });
    await ada.ask('POST', `/v1/tasks/${id}/move`, { due_at: '2026-03-03T07:00' });
    const { data } = (await ada.ask('GET', '/v1/me/export')).body;
    const imported = await bob.ask('POST', '/v1/me/import', data);
    assert.equal(imported.status, 200, JSON.stringify(imported.body));
    const [task] = (await bob.ask('GET', '/v1/tasks')).body.data;
    const { body } = await bob.ask('POST', `/v1/tasks/${task.id}/complete`);
    assert.equal(body.data.due_at, '2026-03-04T09:00:00.000Z');
    const [broken] = data.tasks;
    for (const series_first of ['2026-03-03T09:00:00[due=20261399T990000-000]', '2026-03-03T09:00[due=x]']) {
      const tasks = [{ ...broken, id: undefined, series_first }];
      const { body } = await bob.ask('POST', '/v1/me/import', { ...data, tasks });
      assert.equal(body.data.refused, 1, series_first);
    }
  });
});

const TIMED = { due_at: '2026-03-03T09:00:00', has_time: true, recurrence: { freq: 'daily' } };
const ALL_DAY = { due_at: '2026-03-03T00:00:00', recurrence: { freq: 'daily' } };
const HOURLY = { due_at: '2026-03-03T09:00:00', has_time: true, recurrence: { freq: 'hourly', interval: 6 } };
