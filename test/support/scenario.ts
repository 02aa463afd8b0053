/** Starts the service with one user, Ada, and her phone. */
import type { EngineName } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { addDevice, FakePhones } from './fake-phones.ts';
import { createPerson, type Person } from './people.ts';
import { startTestApp, type TestApp } from './test-app.ts';

export interface Scenario extends AsyncDisposable {
  readonly app: TestApp;
  readonly ada: Person;
  readonly phone: FakePhones;
  /** Ada's device. */
  readonly device: string;
  advance(duration: string): Promise<void>;
  /** Creates a task of Ada's and returns it in full. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses untyped, as a client would.
  create(fields: object): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  read(id: string): Promise<any>;
}

/** The clock starts on Monday, 2 March 2026, 09:00 UTC, unless `startsAt` is given. */
export async function startScenario(engine: EngineName, startsAt?: string): Promise<Scenario> {
  const clock = new FakeClock(startsAt);
  const phone = new FakePhones(clock);
  const app = await startTestApp(engine, { clock, extra: { gateways: { apns: phone } } });
  const ada = await createPerson(app, 'ada@example.org');
  const device = await addDevice(app, ada.userId);
  const read = async (id: string) => (await ada.ask('GET', `/v1/tasks/${id}`)).body.data;
  return {
    app,
    ada,
    phone,
    device,
    read,
    advance: (duration) => clock.advance(duration),
    create: async (fields) => {
      const { status, body } = await ada.ask('POST', '/v1/tasks', { title: 'pills', ...fields });
      if (status !== 200) throw new Error(`The task was not created: ${JSON.stringify(body)}`);
      await app.engine?.settled();
      return read(body.data.id);
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}
