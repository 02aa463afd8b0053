/** The whole service with a fake clock, one person, and the server behind a channel. */
import assert from 'node:assert/strict';
import type { Parts } from '../../src/compose/parts.ts';
import type { ChannelRig } from './channel-rig.ts';
import type { EngineName } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { createPerson, type Person } from './people.ts';
import { startTestApp, type TestApp } from './test-app.ts';

export const BASE_URL = 'https://crescendo.example';

export class ChannelScenario<Rig extends ChannelRig = ChannelRig> implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly rig: Rig;
  app!: TestApp;
  ada!: Person;

  private constructor(rig: Rig) {
    this.rig = rig;
  }

  static async open<Rig extends ChannelRig>(
    engine: EngineName,
    rig: Rig,
    settings: Record<string, string> = {},
    extra: Parts['extra'] = {},
  ) {
    const scenario = new ChannelScenario(rig);
    scenario.app = await startTestApp(engine, {
      clock: scenario.clock,
      extra,
      settings: { BASE_URL, ...rig.settings, ...settings },
    });
    rig.app = scenario.app;
    scenario.ada = await createPerson(scenario.app);
    return scenario;
  }

  async create(fields: object = {}): Promise<string> {
    const task = { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true, ...fields };
    const { status, body } = await this.ada.ask('POST', '/v1/tasks', task);
    assert.equal(status, 200);
    await this.app.engine?.settled();
    return body.data.id;
  }

  /** The clock starts an hour before the task is due. */
  async due(fields: object = {}): Promise<string> {
    const id = await this.create(fields);
    await this.clock.advance('1h');
    return id;
  }

  press(page: string, action: string) {
    return this.app.ask({ method: 'POST', url: `${page}?do=${action}` });
  }

  async channel(id: string) {
    const { body } = await this.ada.ask('GET', '/v1/channels');
    return body.data.channels.find((channel: { id: string }) => channel.id === id);
  }

  /** What messages without titles call the tasks, by their ids. */
  async taskCodes(): Promise<Readonly<Record<string, string>>> {
    const { body } = await this.ada.ask('GET', '/v1/channels');
    const codes: { task_id: string; code: string }[] = body.data.task_codes;
    return Object.fromEntries(codes.map(({ task_id, code }) => [task_id, code]));
  }

  async deliveries(taskId: string) {
    return this.app.db
      .selectFrom('deliveries')
      .selectAll()
      .where('task_id', '=', taskId)
      .where('kind', '=', 'nudge')
      .orderBy('entry_id')
      .execute();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]();
    await this.rig[Symbol.asyncDispose]();
  }
}
