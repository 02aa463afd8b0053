import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const LIST_FIELDS = [
  'id',
  'owner_id',
  'assigner_id',
  'space_id',
  'title',
  'notes',
  'kind',
  'due_at',
  'has_time',
  'mode',
  'status',
  'accepted_by_owner',
  'escalation_stage',
  'nudge_count',
  'next_fire_at',
  'completed_at',
  'skipped_at',
  'last_nudge_at',
  'created_at',
  'updated_at',
];

const codeOf = (error: string) => error.split(':')[0];

onEveryEngine((engine, it) => {
  let app: TestApp;
  let ada: Person;
  before(async () => {
    app = await startTestApp(engine);
  });
  after(() => app[Symbol.asyncDispose]());

  const newPerson = async () => {
    await app.clock.advance('1h');
    ada = await createPerson(app);
    return ada;
  };
  const create = async (body: object, who = ada) => {
    const { status, body: answer } = await who.ask('POST', '/v1/tasks', body);
    assert.equal(status, 200, JSON.stringify(answer));
    return answer.data;
  };
  const detail = async (id: string, who = ada) => (await who.ask('GET', `/v1/tasks/${id}`)).body.data;
  const doTo = (id: string, action: string, body?: object, who = ada) =>
    who.ask('POST', `/v1/tasks/${id}/${action}`, body);
  const inHours = (hours: number) => new Date(app.clock.now().getTime() + hours * 3_600_000).toISOString();

  it('a task created from a title has the contract’s defaults, in the list form and in the full form', async () => {
    await newPerson();
    const task = await create({ title: 'x' });
    assert.deepEqual(Object.keys(task), LIST_FIELDS);
    const full = await detail(task.id);
    assert.deepEqual(full, {
      id: task.id,
      owner_id: ada.userId,
      assigner_id: null,
      space_id: null,
      title: 'x',
      notes: null,
      kind: 'todo',
      due_at: null,
      has_time: false,
      mode: 'escalate',
      break_quiet_hours: false,
      status: 'open',
      accepted_by_owner: true,
      escalation_stage: 0,
      nudge_count: 0,
      next_fire_at: null,
      completed_at: null,
      recurrence: null,
      lead_time_days: null,
      deferred_until: null,
      skipped_at: null,
      last_nudge_at: null,
      created_at: app.clock.now().toISOString(),
      updated_at: app.clock.now().toISOString(),
    });
  });

  test('every limit of the contract accepts its boundary and refuses one past it', async () => {
    await newPerson();
    const valid = [
      { title: 'x' },
      { title: '世'.repeat(200) },
      { notes: 'n'.repeat(10_000) },
      { lead_time_days: 0 },
      { lead_time_days: 30 },
      { mode: 'notify_once' },
      { kind: 'anything at all' },
      { owner_id: ada.userId },
    ];
    for (const body of valid) {
      const task = await create({ title: 'x', ...body });
      assert.deepEqual([task.assigner_id, task.accepted_by_owner], [null, true]);
    }
    const invalid: [object, string][] = [
      [{ title: '' }, 'title'],
      [{ title: '世'.repeat(201) }, 'title'],
      [{}, 'title'],
      [{ notes: 'n'.repeat(10_001) }, 'notes'],
      [{ lead_time_days: -1 }, 'lead_time_days'],
      [{ lead_time_days: 31 }, 'lead_time_days'],
      [{ mode: 'ESCALATE' }, 'mode'],
      [{ due_at: '2026-02-30T00:00:00Z' }, 'due_at'],
      [{ recurrence: [] }, 'recurrence'],
      [{ owner_id: 'x' }, 'owner_id'],
      [{ has_time: null }, 'has_time'],
      [{ kind: null }, 'kind'],
    ];
    for (const [body, field] of invalid) {
      const answer = await ada.ask('POST', '/v1/tasks', field === 'title' ? body : { title: 'x', ...body });
      assert.equal(answer.status, 422, JSON.stringify(body));
      assert.deepEqual(answer.body.detail[0].loc, ['body', field]);
    }
  });

  it('a rule that is wrong, matches no day or repeats within a day without a time is refused; an unknown object is kept', async () => {
    await newPerson();
    const due_at = '2026-03-05T09:00:00Z';
    const never = { freq: 'daily', by_month: [2], by_month_day: [30] };
    const mondays = { freq: 'daily', interval: 7, by_weekday: ['mo'] };
    const withinDay = [{ freq: 'hourly' }, { freq: 'daily', by_time: ['08:00', '20:00'] }];
    const wrong: [recurrence: object, key?: string][] = [
      [{ freq: 'daily', interval: 0 }, 'interval'],
      [{ freq: 'weekly', by_weekday: ['someday'] }, 'by_weekday'],
      [{ freq: 'daily', interval: 2, every: 3 }, 'every'],
      [{ rrule: 'FREQ=SECONDLY' }, 'rrule'],
      [{ rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }],
      [{ freq: 'yearly', by_month: 2, by_month_day: 30 }],
      ...withinDay.map((rule): [object] => [rule]),
    ];
    for (const [recurrence, key] of wrong) {
      const { status, body } = await ada.ask('POST', '/v1/tasks', { title: 'x', due_at, recurrence });
      assert.equal(status, 422, JSON.stringify(recurrence));
      assert.deepEqual(body.detail[0].loc, ['body', 'recurrence', ...(key ? [key] : [])]);
    }
    assert.equal((await ada.ask('POST', '/v1/tasks', { title: 'x', recurrence: never })).status, 422);
    const monday = { due_at: '2027-03-01T09:00:00Z', has_time: true, recurrence: mondays };
    const edits: [fields: object, edit: object][] = [
      [{}, { recurrence: never }],
      [monday, { due_at: '2027-03-02T09:00:00Z' }],
      ...withinDay.map((recurrence): [object, object] => [{ due_at, has_time: true, recurrence }, { has_time: false }]),
    ];
    for (const [fields, edit] of edits) {
      const { id } = await create({ title: 'x', ...fields });
      const { status, body } = await ada.ask('PATCH', `/v1/tasks/${id}`, edit);
      assert.deepEqual([status, body.detail?.[0]?.loc], [422, ['body', 'recurrence']], JSON.stringify(edit));
    }
    // Without a due date, a rule is kept if some date could start it.
    const leapDays = { freq: 'yearly', interval: 4, by_month: [2], by_month_day: [29] };
    for (const recurrence of [mondays, leapDays, { rrule: 'FREQ=YEARLY;BYMONTH=2' }, ...withinDay])
      await create({ title: 'idle', recurrence });
    const last = await create({ title: 'x', due_at: '9999-12-30T20:00:00Z', recurrence: { freq: 'daily' } });
    assert.equal((await doTo(last.id, 'complete')).body.data.status, 'done');
    const odd = { z: 1, a: { deep: ['x', null] }, freq: 'fortnightly' };
    const task = await create({ title: 'x', due_at, recurrence: odd });
    assert.equal(JSON.stringify((await detail(task.id)).recurrence), JSON.stringify(odd));
    assert.equal((await doTo(task.id, 'complete')).body.data.status, 'done');
  });

  it('the answer says in a header that a recurrence is kept but not understood', async () => {
    await newPerson();
    const headerOf = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => {
      const answer = await ada.ask(method, path, body);
      assert.equal(answer.status, 200);
      return { id: answer.body.data.id, header: answer.headers['x-recurrence'] };
    };
    const base = { title: 'x', due_at: '2026-12-01T09:00:00Z', has_time: true };
    const odd = await headerOf('POST', '/v1/tasks', { ...base, recurrence: { every: 'full moon' } });
    assert.equal(odd.header, 'not-understood');
    const path = `/v1/tasks/${odd.id}`;
    assert.equal((await headerOf('GET', path)).header, 'not-understood');
    assert.equal((await headerOf('PATCH', path, { title: 'y' })).header, 'not-understood');
    assert.equal((await headerOf('PATCH', path, { recurrence: { every: 'week' } })).header, undefined);
    assert.equal((await headerOf('GET', path)).header, undefined);
    assert.equal((await headerOf('PATCH', path, { recurrence: null })).header, undefined);
    assert.equal((await headerOf('POST', '/v1/tasks', base)).header, undefined);
    for (const recurrence of [
      { freq: 'daily', exdates: ['2026-12-05'] },
      { freq: 'weekly', a_key_that_is_longer_than_any: 1 },
      { rrule: 'FREQ=DAILY', interval: 2 },
    ]) {
      assert.equal((await headerOf('PATCH', path, { recurrence })).header, 'partly-understood');
    }
    assert.equal((await headerOf('PATCH', path, { recurrence: { freq: 'daily', note: null } })).header, undefined);
  });

  it('with Prefer: handling=strict, a recurrence that is not understood is refused', async () => {
    await newPerson();
    const headers = { authorization: `Bearer ${ada.sessionToken}`, prefer: 'handling=strict' };
    const ask = (recurrence: object) =>
      app.ask({ method: 'POST', url: '/v1/tasks', headers, payload: { title: 'x', recurrence } });
    const { status, body } = await ask({ freq: 'fortnightly' });
    assert.deepEqual([status, body.detail?.[0]?.loc], [422, ['body', 'recurrence']]);
    const { id } = (await ask({ freq: 'daily' })).body.data;
    for (const [method, path] of [
      ['PATCH', ''],
      ['POST', '/edit'],
    ] as const) {
      const payload = { recurrence: { freq: 'fortnightly' } };
      const url = `/v1/tasks/${id}${path}`;
      assert.equal((await app.ask({ method, url, headers, payload })).status, 422);
      const kept = await ada.ask(method, url, payload);
      assert.deepEqual([kept.status, kept.headers['x-recurrence']], [200, 'not-understood']);
    }
  });

  it('an hourly task that was open for hours moves to the first hour ahead, and starts no run for the missed ones', async () => {
    await newPerson();
    const due_at = inHours(1);
    const recurrence = { freq: 'hourly', interval: 4, count: 5 };
    const task = await create({ title: 'drops', due_at, has_time: true, recurrence });
    await app.clock.advance('10h');
    const later = (hours: number) => new Date(Date.parse(due_at) + hours * 3_600_000).toISOString();
    const next = await doTo(task.id, 'complete');
    assert.deepEqual([next.body.data.due_at, next.body.data.next_fire_at], [later(12), later(12)]);
    assert.equal((await doTo(task.id, 'skip')).body.data.due_at, later(16));
    const last = await doTo(task.id, 'complete', { occurrence_due_at: later(16) });
    assert.equal(last.body.data.status, 'done');
    const { body } = await ada.ask('GET', '/v1/outcomes');
    assert.equal(body.data.length, 3);
  });

  it('an hourly rule that counts from completion is due that long after it was done', async () => {
    await newPerson();
    const recurrence = { freq: 'hourly', interval: 6, from: 'completion' };
    const task = await create({ title: 'painkiller', due_at: inHours(1), has_time: true, recurrence });
    await app.clock.advance('3h');
    assert.equal((await doTo(task.id, 'complete')).body.data.due_at, inHours(6));
  });

  test('completing, skipping, dropping and snoozing take effect once', async () => {
    await newPerson();
    const [done, skipped, dropped, snoozed] = await Promise.all(
      ['a', 'b', 'c', 'd'].map((title) => create({ title, due_at: inHours(2), has_time: true })),
    );
    const completion = await doTo(done.id, 'complete');
    assert.deepEqual(
      [completion.body.data.status, completion.body.data.completed_at],
      ['done', app.clock.now().toISOString()],
    );
    assert.equal(completion.body.data.next_fire_at, null);
    assert.deepEqual((await doTo(done.id, 'complete')).body.data, completion.body.data);
    const skip = await doTo(skipped.id, 'skip');
    assert.deepEqual([skip.body.data.status, skip.body.data.skipped_at], ['skipped', app.clock.now().toISOString()]);
    assert.equal((await doTo(dropped.id, 'drop')).body.data.status, 'dropped');
    const contradiction = await doTo(dropped.id, 'complete');
    assert.deepEqual([contradiction.status, codeOf(contradiction.body.error)], [409, 'task_closed']);
    const until = inHours(5);
    const snooze = await doTo(snoozed.id, 'snooze', { until });
    assert.deepEqual([snooze.body.data.status, snooze.body.data.next_fire_at], ['open', until]);
    assert.equal((await detail(snoozed.id)).deferred_until, until);
    assert.equal((await doTo(snoozed.id, 'snooze', { until: inHours(0) })).status, 422);
    assert.equal((await doTo(snoozed.id, 'snooze', {})).status, 422);
    const { body } = await ada.ask('GET', '/v1/outcomes');
    assert.deepEqual(
      body.data.map(({ outcome, title }: { outcome: string; title: string }) => `${title} ${outcome}`).sort(),
      ['a done', 'b skipped'],
    );
  });

  test('a repeating task records one outcome per occurrence, and a stale action cannot close the next one', async () => {
    await newPerson();
    const due_at = '2026-12-01T09:00:00.000Z';
    const task = await create({ title: 'dose', due_at, has_time: true, recurrence: { freq: 'daily', count: 3 } });
    const first = await doTo(task.id, 'complete', { occurrence_due_at: due_at });
    assert.deepEqual([first.body.data.status, first.body.data.due_at], ['open', '2026-12-02T09:00:00.000Z']);
    const stale = await doTo(task.id, 'complete', { occurrence_due_at: due_at });
    assert.deepEqual([stale.status, codeOf(stale.body.error)], [409, 'occurrence_passed']);
    assert.equal((await doTo(task.id, 'skip')).body.data.due_at, '2026-12-03T09:00:00.000Z');
    const last = await doTo(task.id, 'complete');
    assert.deepEqual([last.body.data.status, last.body.data.due_at], ['done', '2026-12-03T09:00:00.000Z']);
    const { body } = await ada.ask('GET', '/v1/outcomes?limit=10');
    const mine = body.data.filter(({ task_id }: { task_id: string }) => task_id === task.id);
    assert.deepEqual(
      mine.map((row: { outcome: string; occurrence_due_at: string }) => [
        row.outcome,
        row.occurrence_due_at.slice(0, 10),
      ]),
      [
        ['done', '2026-12-03'],
        ['skipped', '2026-12-02'],
        ['done', '2026-12-01'],
      ],
    );
    assert.deepEqual(Object.keys(body.data[0]), [
      'id',
      'task_id',
      'title',
      'occurrence_due_at',
      'outcome',
      'recorded_at',
    ]);
  });

  it('a task without a time is due on a day in its owner’s zone and keeps the moment of the day that was sent', async () => {
    await newPerson();
    await ada.ask('PATCH', '/v1/me', { timezone: 'Pacific/Auckland' });
    const task = await create({ title: 'x', due_at: '2026-12-01T23:30:00-10:00', recurrence: { freq: 'weekly' } });
    assert.equal(task.due_at, '2026-12-02T09:30:00.000Z');
    // The first nudge comes at the day start of 2 December.
    assert.equal(task.next_fire_at, '2026-12-01T20:00:00.000Z');
    const later = await ada.ask('PATCH', `/v1/tasks/${task.id}`, { due_at: '2026-12-02T10:00:00Z' });
    assert.deepEqual(
      [later.body.data.due_at, later.body.data.next_fire_at],
      ['2026-12-02T10:00:00.000Z', task.next_fire_at],
    );
    // What was sent first still names the day.
    const closed = await doTo(task.id, 'complete', { occurrence_due_at: '2026-12-01T23:30:00-10:00' });
    assert.equal(closed.body.data.due_at, '2026-12-09T10:00:00.000Z');
  });

  it('an edit that changes nothing leaves updated_at as it is, and a change of settings that moves a nudge does not', async () => {
    await newPerson();
    const fields = {
      title: 'x',
      notes: 'n',
      due_at: '2027-06-01T09:00:00.000Z',
      has_time: true,
      lead_time_days: 1,
      recurrence: { freq: 'daily' },
      mode: 'escalate',
      break_quiet_hours: false,
      space_id: null,
    };
    const { id } = await create(fields);
    const before = await detail(id);
    await app.clock.advance('1m');
    for (const body of [{}, fields, { due_at: '2027-06-01T11:00:00+02:00' }, { unknown: 1 }, { title: 'x' }]) {
      const { status } = await ada.ask('PATCH', `/v1/tasks/${id}`, body);
      assert.equal(status, 200);
      assert.deepEqual(await detail(id), before, JSON.stringify(body));
    }
    await ada.ask('PATCH', '/v1/me', { day_start: '08:00' });
    const replanned = await detail(id);
    assert.deepEqual(
      [replanned.next_fire_at, replanned.updated_at],
      ['2027-05-31T08:00:00.000Z', app.clock.now().toISOString()],
    );
    await app.clock.advance('1m');
    await ada.ask('PATCH', '/v1/me', { display_name: 'Ada' });
    assert.deepEqual(await detail(id), replanned);
    await ada.ask('PATCH', `/v1/tasks/${id}`, { lead_time_days: 2 });
    assert.equal((await detail(id)).updated_at, app.clock.now().toISOString());
  });

  test('reopening undoes the last closing and deletes its outcome', async () => {
    await newPerson();
    const task = await create({ title: 'x', due_at: '2026-12-01T09:00:00Z', recurrence: { freq: 'daily' } });
    await doTo(task.id, 'complete');
    const before = (await ada.ask('GET', '/v1/stats')).body.data;
    assert.deepEqual([before.done, before.open], [1, 1]);
    const reopened = await doTo(task.id, 'reopen');
    assert.deepEqual([reopened.body.data.due_at, reopened.body.data.completed_at], ['2026-12-01T09:00:00.000Z', null]);
    assert.equal((await ada.ask('GET', '/v1/stats')).body.data.done, 0);
    assert.deepEqual((await ada.ask('GET', '/v1/outcomes')).body.data, []);
  });

  it('an edit changes only the fields it contains; of a closed task, only title and notes', async () => {
    await newPerson();
    const task = await create({ title: 'x', notes: 'n', due_at: inHours(3), has_time: true, lead_time_days: 1 });
    const patch = (body: object) => ada.ask('PATCH', `/v1/tasks/${task.id}`, body);
    await app.clock.advance('1m');
    const renamed = await patch({ title: 'y', notes: null, owner_id: 'ignored' });
    assert.deepEqual([renamed.status, renamed.body.data.title, renamed.body.data.notes], [200, 'y', null]);
    assert.equal(renamed.body.data.due_at, task.due_at);
    assert.equal(renamed.body.data.updated_at, app.clock.now().toISOString());
    await doTo(task.id, 'snooze', { until: inHours(5) });
    const redated = await patch({ due_at: inHours(9) });
    // The lead time of the new date has begun, so its heads-up comes at once.
    assert.equal(redated.body.data.next_fire_at, app.clock.now().toISOString());
    assert.equal((await detail(task.id)).deferred_until, null);
    const undated = await patch({ due_at: null });
    assert.deepEqual([undated.body.data.due_at, undated.body.data.next_fire_at], [null, null]);
    await doTo(task.id, 'complete');
    assert.equal((await patch({ title: 'z', notes: 'after' })).body.data.title, 'z');
    for (const body of [
      { due_at: inHours(1) },
      { mode: 'notify_once' },
      { kind: 'k' },
      { title: 'q', has_time: true },
    ]) {
      const { status, body: answer } = await patch(body);
      assert.deepEqual([status, codeOf(answer.error)], [409, 'task_closed']);
    }
    assert.equal((await detail(task.id)).title, 'z');
  });

  test('the list is sorted by due date, then undated, then closed tasks, and pages without gaps', async () => {
    await newPerson();
    const make = (title: string, body: object = {}) => create({ title, ...body });
    await make('undated');
    await make('in two hours', { due_at: inHours(2), has_time: true });
    await make('overdue', { due_at: inHours(-5), has_time: true });
    const snoozed = await make('snoozed', { due_at: inHours(-9), has_time: true });
    await doTo(snoozed.id, 'snooze', { until: inHours(1) });
    for (const title of ['closed first', 'closed last']) {
      const { id } = await make(title);
      await app.clock.advance('1m');
      await doTo(id, title === 'closed first' ? 'complete' : 'skip');
    }
    const titles = async (query: string) => {
      const { body } = await ada.ask('GET', `/v1/tasks${query}`);
      return body.data.map(({ title }: { title: string }) => title);
    };
    const all = ['overdue', 'snoozed', 'in two hours', 'undated', 'closed last', 'closed first'];
    assert.deepEqual(await titles(''), all);
    assert.deepEqual(await titles('?status=open'), all.slice(0, 4));
    assert.deepEqual(await titles('?status=done'), ['closed first']);
    assert.deepEqual(await titles('?status=overdue'), ['overdue', 'snoozed']);
    assert.deepEqual(await titles('?status=snoozed'), ['snoozed']);
    assert.deepEqual(await titles('?status=pending'), []);
    assert.deepEqual(await titles('?status=unheard-of'), []);
    const paged: string[] = [];
    let url = '/v1/tasks?limit=2';
    for (;;) {
      const { body, headers } = await ada.ask('GET', url);
      paged.push(...body.data.map(({ title }: { title: string }) => title));
      const cursor = headers['x-next-cursor'];
      if (cursor === undefined) break;
      url = `/v1/tasks?limit=2&cursor=${cursor}`;
    }
    assert.deepEqual(paged, all);
    for (const query of [
      'limit=0',
      'limit=1001',
      'cursor=nonsense',
      'cursor=WzEsMiwzXQ',
      `cursor=${Buffer.from(`[9007199254740991,0,"${ada.userId}"]`).toString('base64url')}`,
    ]) {
      assert.equal((await ada.ask('GET', `/v1/tasks?${query}`)).status, 422, query);
    }
  });

  test('statistics match the tasks', async () => {
    await newPerson();
    assert.deepEqual((await ada.ask('GET', '/v1/stats')).body.data, {
      open: 0,
      overdue: 0,
      done: 0,
      skipped: 0,
      snoozed: 0,
      nudges_sent: 0,
      nudges_per_completion: 0,
      avg_hours_to_complete: null,
      completion_rate: null,
    });
    const [a, b, c] = [
      await create({ title: 'a' }),
      await create({ title: 'b' }),
      await create({ title: 'c', due_at: inHours(-1), has_time: true }),
    ];
    await app.clock.advance('2h');
    await doTo(a.id, 'complete');
    await app.clock.advance('2h');
    await doTo(b.id, 'skip');
    await doTo(c.id, 'snooze', { until: inHours(1) });
    const { data } = (await ada.ask('GET', '/v1/stats')).body;
    assert.deepEqual(data, {
      open: 1,
      overdue: 1,
      done: 1,
      skipped: 1,
      snoozed: 1,
      nudges_sent: 8,
      nudges_per_completion: 8,
      avg_hours_to_complete: 2,
      completion_rate: 0.5,
    });
    assert.deepEqual((await ada.ask('GET', '/v1/outcomes?outcome=skipped')).body.data.length, 1);
    for (const query of ['outcome=open', 'limit=0', 'limit=501']) {
      assert.equal((await ada.ask('GET', `/v1/outcomes?${query}`)).status, 422, query);
    }
  });

  it('a moment without an offset is one of the clock of the account, for outcomes too', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    await ada.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
    const { id } = (await ada.ask('POST', '/v1/tasks', { title: 'pills' })).body.data;
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    const inTokyo = new Date(app.clock.now().getTime() + 9 * 3_600_000).toISOString().slice(0, 19);
    assert.equal((await ada.ask('GET', `/v1/outcomes?since=${inTokyo}`)).body.data.length, 1);
  });

  it('kind and recurrence have limits, in code points; longer values that are stored can still be read', async () => {
    await newPerson();
    const recurrenceOf = (length: number) => ({ '🎺': '🎺'.repeat(length - 8) });
    const bodies: [body: object, status: number, type?: string][] = [
      [{ kind: '🎺'.repeat(100) }, 200],
      [{ kind: '🎺'.repeat(101) }, 422, 'string_too_long'],
      [{ recurrence: recurrenceOf(10_000) }, 200],
      [{ recurrence: recurrenceOf(10_001) }, 422, 'too_long'],
    ];
    const { id } = await create({ title: 'x' });
    for (const [body, status, type] of bodies) {
      const made = await ada.ask('POST', '/v1/tasks', { title: 'x', ...body });
      const changed = await ada.ask('PATCH', `/v1/tasks/${id}`, body);
      assert.deepEqual([made.status, made.body.detail?.[0].type], [status, type]);
      assert.deepEqual([changed.status, changed.body.detail?.[0].type], [status, type]);
    }
    const former = { kind: 'x'.repeat(5_000), recurrence: JSON.stringify({ x: 'x'.repeat(50_000) }) };
    await app.db.updateTable('tasks').set(former).where('id', '=', id).execute();
    assert.equal(
      (await ada.ask('PATCH', `/v1/tasks/${id}`, { title: 'y', due_at: '2027-01-01T09:00:00Z' })).status,
      200,
    );
    const task = await detail(id);
    assert.deepEqual([task.title, task.kind, JSON.stringify(task.recurrence)], ['y', former.kind, former.recurrence]);
    assert.ok((await ada.ask('GET', '/v1/tasks')).body.data.some((one: { kind: string }) => one.kind === former.kind));
  });

  it('sending back unchanged values does not change when a task is due', async () => {
    await newPerson();
    const monthly = await create({
      title: 'rent',
      due_at: '2027-01-31T09:00:00Z',
      has_time: true,
      recurrence: { freq: 'monthly' },
    });
    assert.equal((await doTo(monthly.id, 'complete')).body.data.due_at, '2027-02-28T09:00:00.000Z');
    const { due_at, has_time, recurrence } = await detail(monthly.id);
    await ada.ask('PATCH', `/v1/tasks/${monthly.id}`, { title: 'Rent', due_at, has_time, recurrence });
    await app.clock.advance('1m');
    assert.equal((await doTo(monthly.id, 'complete')).body.data.due_at, '2027-03-31T09:00:00.000Z');

    const counted = await create({
      title: 'x',
      due_at: '2027-01-01T09:00:00Z',
      has_time: true,
      recurrence: { freq: 'daily', count: 3 },
    });
    for (let round = 0; round < 3; round += 1) {
      await ada.ask('PATCH', `/v1/tasks/${counted.id}`, { has_time: true });
      await app.clock.advance('1m');
      await doTo(counted.id, 'complete');
    }
    assert.equal((await detail(counted.id)).status, 'done');

    const timed = await create({ title: 'x', due_at: '2027-06-01T09:00:00', has_time: true });
    const allDay = await create({ title: 'x', due_at: '2027-07-02T00:00:00+02:00' });
    await ada.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
    const still = await ada.ask('PATCH', `/v1/tasks/${timed.id}`, { has_time: true, recurrence: { freq: 'daily' } });
    assert.equal(still.body.data.due_at, timed.due_at);
    await ada.ask('PATCH', `/v1/tasks/${allDay.id}`, { due_at: allDay.due_at });
    // Still 2 July, whose day starts at 09:00 in her new zone.
    assert.equal((await detail(allDay.id)).next_fire_at, '2027-07-02T00:00:00.000Z');
  });

  it('the forecast shows the next nudges and their holds, to the owner and not to strangers', async () => {
    await newPerson();
    await ada.ask('PATCH', '/v1/me', { quiet_hours_start: '22:00', quiet_hours_end: '07:00' });
    const task = await create({ title: 'x', due_at: '2027-05-10T21:30:00Z', has_time: true, lead_time_days: 1 });
    const ask = (query = '', who = ada) => who.ask('GET', `/v1/tasks/${task.id}/forecast${query}`);
    const { body } = await ask('?limit=5');
    const unreached = { via: [], falls: [], unreached: 'nothing_set_up' };
    const nudge = (at: string, stage: number, wanted_at = at, holds: string[] = []) => ({
      at: `2027-05-${at}:00.000Z`,
      stage,
      wanted_at: `2027-05-${wanted_at}:00.000Z`,
      holds,
      ...unreached,
    });
    assert.deepEqual(body.data, [
      nudge('09T09:00', -1),
      nudge('10T21:30', 0),
      nudge('10T21:45', 1),
      nudge('11T07:00', 1, '10T22:00', ['quiet_hours']),
      nudge('11T07:15', 1),
    ]);
    assert.equal((await ask()).body.data.length, 10);
    assert.equal((await detail(task.id)).next_fire_at, body.data[0].at);
    for (const limit of ['0', '101', 'many']) assert.equal((await ask(`?limit=${limit}`)).status, 422);
    assert.equal((await ask('', await createPerson(app))).status, 404);
    await doTo(task.id, 'complete');
    assert.deepEqual((await ask()).body.data, []);
  });

  test('of concurrent conflicting actions, one succeeds and the others are refused', async () => {
    await newPerson();
    const task = await create({ title: 'x' });
    const answers = await Promise.all([doTo(task.id, 'complete'), doTo(task.id, 'skip'), doTo(task.id, 'drop')]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
    const { done, skipped, open } = (await ada.ask('GET', '/v1/stats')).body.data;
    assert.ok(done + skipped <= 1);
    assert.equal(open, 0);
  });

  it('an account has a bound of closed tasks and outcomes too, which others cannot fill, and imports cost as much as they store', async () => {
    const settings = { MAX_OPEN_TASKS_PER_ACCOUNT: '2', COST_BUDGET_PER_MINUTE: '200' };
    await using app = await startTestApp(engine, { settings });
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const importOf = (person: Person, tasks: object[]) => person.ask('POST', '/v1/me/import', { tasks });
    const done = (count: number, outcomes: object[] = []) =>
      Array.from({ length: count }, () => ({ title: `${Math.random()}`, status: 'done', outcomes }));
    const full = ({ status, body }: { status: number; body: { error: string } }) =>
      assert.deepEqual([status, codeOf(body.error)], [409, 'too_many_tasks']);
    for (let count = 0; count < 3; count += 1) {
      const asked = (await bob.ask('POST', '/v1/tasks', { title: 'x', owner_id: ada.userId })).body.data.id;
      await bob.ask('POST', `/v1/tasks/${asked}/drop`);
    }
    assert.equal((await importOf(ada, done(9))).body.data.imported, 9);
    const last = await ada.ask('POST', '/v1/tasks', { title: 'the tenth' });
    assert.equal(last.status, 200);
    await ada.ask('POST', `/v1/tasks/${last.body.data.id}/complete`);
    full(await ada.ask('POST', '/v1/tasks', { title: 'one more' }));
    full(await importOf(ada, done(1)));
    assert.equal((await bob.ask('POST', '/v1/tasks', { title: 'x', owner_id: ada.userId })).status, 200);
    const outcome = { outcome: 'done', recorded_at: '2026-01-01T00:00:00Z' };
    full(await importOf(bob, done(1, Array(41).fill(outcome))));
    assert.equal((await importOf(bob, done(1, Array(40).fill(outcome)))).body.data.imported, 1);
    assert.equal((await importOf(bob, [])).status, 429, '1 + 5 × 41 rows are more than the budget');
  });

  test('a new task is planned by the settings of this moment, wherever they were changed since the last one', async () => {
    await newPerson();
    const task = { title: 'pills', due_at: '2030-01-05T03:00', has_time: true };
    assert.equal((await create(task)).due_at, '2030-01-05T03:00:00.000Z');
    await ada.ask('PATCH', '/v1/me', { quiet_hours_start: '22:00', quiet_hours_end: '07:00' });
    assert.equal((await create(task)).next_fire_at, '2030-01-05T07:00:00.000Z');
    // As another process does. An import sets the zone without a new plan version.
    const zoned = { timezone: 'Asia/Tokyo' };
    await app.db.updateTable('users').set(zoned).where('id', '=', ada.userId).execute();
    const { due_at, next_fire_at } = await create(task);
    assert.deepEqual([due_at, next_fire_at], ['2030-01-04T18:00:00.000Z', '2030-01-04T22:00:00.000Z']);
    await create(task);
    await app.db.updateTable('users').set({ deleted_at: app.clock.now() }).where('id', '=', ada.userId).execute();
    const gone = await ada.ask('POST', '/v1/tasks', task);
    assert.deepEqual([gone.status, gone.body.error], [404, 'not_found: There is no such account.']);
  });

  test('the limit of open tasks is exact for an account that was far from it when it last created one', async () => {
    await using app = await startTestApp(engine, { settings: { MAX_OPEN_TASKS_PER_ACCOUNT: '1100' } });
    const loud = await createPerson(app);
    const createOne = async () => (await loud.ask('POST', '/v1/tasks', { title: 'one' })).status;
    assert.deepEqual([await createOne(), await createOne()], [200, 200]);
    const openElsewhere = 1_100 - 2 - 1;
    const elsewhere = { user_id: loud.userId, shard: 31, open: openElsewhere, stored: openElsewhere };
    const others = { done: 0, skipped: 0, nudges_sent: 0, seconds_to_done: 0 };
    await app.db
      .insertInto('task_count_shards')
      .values({ ...elsewhere, ...others })
      .execute();
    assert.deepEqual([await createOne(), await createOne()], [200, 429]);
  });

  it('beyond its limit of open tasks an account can neither create, reopen nor import, until it closes some', async () => {
    await using app = await startTestApp(engine, { settings: { MAX_OPEN_TASKS_PER_ACCOUNT: '3' } });
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const create = (person: Person, fields = {}) => person.ask('POST', '/v1/tasks', { title: 'x', ...fields });
    const act = (id: string, action: string) => ada.ask('POST', `/v1/tasks/${id}/${action}`);
    const full = ({ status, body }: { status: number; body: { error: string } }) => {
      assert.equal(status, 429);
      assert.match(body.error, /^too_many_open_tasks: An account can have 3 open tasks\. Close some/);
    };
    const first = (await create(ada)).body.data.id;
    assert.equal((await create(ada)).status, 200);
    assert.equal((await create(bob, { owner_id: ada.userId })).status, 200, 'a request counts too');
    full(await create(ada));
    full(await create(bob, { owner_id: ada.userId }));
    full(await ada.ask('POST', '/v1/me/import', { tasks: [{ title: 'imported' }] }));
    assert.equal((await act(first, 'complete')).status, 200);
    full(await ada.ask('POST', '/v1/me/import', { tasks: [{ title: 'one' }, { title: 'two' }] }));
    const imported = await ada.ask('POST', '/v1/me/import', { tasks: [{ title: 'one' }] });
    assert.equal(imported.body.data.imported, 1, 'nothing of the refused import was stored');
    full(await act(first, 'reopen'));
    const atOnce = await Promise.all(Array.from({ length: 20 }, () => create(bob)));
    assert.equal(atOnce.filter(({ status }) => status === 200).length, 3, 'the limit holds for tasks created at once');
  });
});
