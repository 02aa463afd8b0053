/** When the engine is woken, which sleeps until the next nudge that it knows of. */
import assert from 'node:assert/strict';
import { after, before, mock } from 'node:test';
import { Engine } from '../../src/engine/engine.ts';
import { newId } from '../../src/lib/ids.ts';
import { newTask } from '../../src/tasks/new-task.ts';
import { deriveFields } from '../../src/tasks/plan-task.ts';
import { TaskImportService } from '../../src/tasks/task-import.service.ts';
import { TasksService } from '../../src/tasks/tasks.service.ts';
import { onEveryEngine } from '../support/engines.ts';
import { previewFile, todoistRows } from '../support/move-in.ts';
import { createPerson, type Person } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const NOW = 'something is ready';
/** The clock starts at 09:00. */
const at = (time: string) => `2026-03-02T${time}:00.000Z`;

onEveryEngine((engine, it) => {
  let app: TestApp;
  let tasks: TasksService;
  let woken: string[] = [];
  const wake = (moment?: Date): void => void woken.push(moment?.toISOString() ?? NOW);
  before(async () => {
    mock.method(Engine.prototype, 'wakeUp', wake);
    app = await startTestApp(engine);
    await app.engine?.stop();
    tasks = new TasksService(app.db, app.clock, wake, 1_000);
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    mock.restoreAll();
  });

  const callerOf = ({ userId }: Person) =>
    ({ kind: 'session', userId, sessionId: newId(), provenAt: app.clock.now() }) as const;
  const create = async (asker: Person, fields: object = {}): Promise<string> => {
    const task = { title: 'pills', due_at: at('10:00'), has_time: true, ...fields };
    return (await asker.ask('POST', '/v1/tasks', task)).body.data.id;
  };
  const wokenBy = async (work: () => Promise<unknown>): Promise<string[]> => {
    woken = [];
    await work();
    return woken;
  };

  it('an earlier date, a snooze and an accepted request wake the engine at the moment of their nudge', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const id = await create(ada);
    const caller = callerOf(ada);
    assert.deepEqual(await wokenBy(() => tasks.update(caller, id, { due_at: at('09:30') })), [at('09:30')]);
    const snooze = { name: 'snooze', until: at('09:20') } as const;
    assert.deepEqual(await wokenBy(() => tasks.act(caller, id, snooze)), [at('09:20')]);
    const asked = await create(bob, { owner_id: ada.userId });
    assert.deepEqual(await wokenBy(() => tasks.act(caller, asked, { name: 'accept' })), [at('10:00')]);
    assert.deepEqual(await wokenBy(() => tasks.act(caller, asked, { name: 'complete' })), []);
  });

  it('a message to take back wakes the engine at once, whatever else is changed in the same step', async () => {
    const ada = await createPerson(app);
    const complete = { name: 'complete' } as const;
    for (const steps of [[complete], [complete, { edit: { title: 'renamed' } }]] as const) {
      const id = await create(ada);
      const shown = { status: 'sent', provider: 'ntfy', ref: 'shown' } as const;
      await app.db
        .insertInto('deliveries')
        .values(storedDelivery({ id, owner_id: ada.userId }, shown))
        .execute();
      assert.deepEqual(await wokenBy(() => tasks.take(callerOf(ada), id, steps)), [NOW], `${steps.length}`);
    }
  });

  it('an import wakes the engine at the moment of its first nudge, wherever in the file its task stands', async () => {
    const ada = await createPerson(app);
    const imports = new TaskImportService(app.db, app.clock, wake, 1_000);
    const { owner } = await imports.getAccount(ada.userId);
    const now = app.clock.now();
    const recordAt = (time: string | undefined, notes: string | null = null) => {
      const due_at = time === undefined ? null : at(time);
      const usual = { kind: 'todo', has_time: true, mode: 'escalate', break_quiet_hours: false };
      const task = newTask(owner, callerOf(ada), { title: 'pills', notes, due_at, ...usual }, now);
      return { origin: newId(), task: { ...task, ...deriveFields(task, owner, now) }, outcomes: [] };
    };
    const records = [undefined, '11:00', '09:30', '10:00', undefined].map((time) => recordAt(time));
    const half = () => records.splice(0, 3);
    const importSome = (some: typeof records) => wokenBy(() => imports.importTasks(ada.userId, owner, some));
    assert.deepEqual(await importSome(half()), [at('09:30')]);
    await ada.ask('PATCH', '/v1/me', {
      quiet_hours_start: '09:00',
      quiet_hours_end: '12:00',
      timezone: owner.timezone,
    });
    assert.deepEqual(await importSome(half()), [at('12:00')], 'by settings that have changed since the file was read');
    const pages = ['14:00', '13:00'].map((time) => recordAt(time, 'x'.repeat(200_000)));
    assert.deepEqual(await importSome(pages), [at('14:00'), at('13:00')], 'each page is a transaction of its own');
  });

  it('a request wakes the engine at once when it is made, answered, or given to another person', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const space_id = await createSpace(ada, bob);
    const request = async (): Promise<string> => create(ada, { space_id, owner_id: bob.userId });
    const creation = { title: 'milk', kind: 'todo', has_time: false, mode: 'escalate', break_quiet_hours: false };
    const made = { ...creation, space_id, owner_id: bob.userId };
    assert.deepEqual(await wokenBy(() => tasks.create(callerOf(ada), made)), [NOW]);
    const [accepted, taken] = [await request(), await request()];
    const accept = () => tasks.act(callerOf(bob), accepted, { name: 'accept' });
    assert.deepEqual(await wokenBy(accept), [NOW, at('10:00')]);
    const done = () => tasks.act(callerOf(bob), accepted, { name: 'complete' });
    assert.deepEqual(await wokenBy(done), [NOW]);
    // Whoever does it themselves is nudged when it is due.
    assert.deepEqual(await wokenBy(() => tasks.ask(callerOf(ada), taken, ada.userId)), [NOW, at('10:00')]);
  });

  it('what plans tasks anew, or takes back what people were told, wakes the engine at once', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const space_id = await createSpace(ada, bob);
    const wakes = async (person: Person, method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, body?: object) => {
      let data: { id: string } | null = null;
      const all = await wokenBy(async () => {
        const answer = await person.ask(method, url, body);
        assert.equal(answer.status, 200, url);
        data = answer.body.data;
      });
      assert.ok(all.includes(NOW), `${method} ${url}`);
      return (data as { id: string } | null)?.id;
    };
    await wakes(ada, 'PATCH', '/v1/me', { day_start: '07:00' });
    await wakes(ada, 'PUT', '/v1/ladders/default', { preset: 'gentle' });
    const id = await wakes(ada, 'POST', '/v1/stand-ins', { person_id: bob.userId, space_id, from_rung: 2 });
    await wakes(bob, 'POST', `/v1/stand-ins/${id}/agree`, {});
    await wakes(bob, 'DELETE', `/v1/stand-ins/${id}`);
    await wakes(bob, 'DELETE', `/v1/spaces/${space_id}/membership`);
    await wakes(ada, 'DELETE', '/v1/me');
  });

  it('a device that is removed, an end of other sessions, and an import or its Undo wake the engine at once', async () => {
    const ada = await createPerson(app);
    const { id } = (await ada.ask('POST', '/v1/devices', { ios_push_token: 'ab'.repeat(32) })).body.data;
    assert.deepEqual(await wokenBy(() => ada.ask('DELETE', `/v1/devices/${id}`)), [NOW]);
    assert.deepEqual(await wokenBy(() => ada.ask('POST', '/v1/me/access/end', { sessions: true, ids: [] })), [NOW]);
    const preview = await previewFile(app, ada, todoistRows(['pills', 'Oct 5 2027']));
    const start = { preview_id: preview.body.data.id };
    assert.ok((await wokenBy(() => ada.ask('POST', '/v1/move-in', start))).includes(NOW));
    assert.deepEqual(await wokenBy(() => ada.ask('DELETE', `/v1/move-in/${start.preview_id}`)), [NOW]);
  });
});
