/** A person with a phone, and a service that reminds them. */
import { type Bed, startBed } from './bed.ts';
import type { EngineName } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { type Person, signIn } from './people.ts';
import { addDevice, PretendPhones } from './pretend-phone.ts';

export interface Scene extends AsyncDisposable {
  readonly bed: Bed;
  readonly ada: Person;
  readonly phone: PretendPhones;
  /** Ada's device. */
  readonly device: string;
  advance(duration: string): Promise<void>;
  /** Creates a task of Ada's and returns it in full. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as a client without our types would.
  create(fields: object): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  read(id: string): Promise<any>;
}

/** It is Monday, 2 March 2026, 09:00 in UTC, unless told otherwise. */
export async function startScene(engine: EngineName, startsAt?: string): Promise<Scene> {
  const clock = new FakeClock(startsAt);
  const phone = new PretendPhones(clock);
  const bed = await startBed(engine, { clock, extra: { gateways: { apns: phone } } });
  const ada = await signIn(bed, 'ada@example.org');
  const device = await addDevice(bed, ada.userId);
  const read = async (id: string) => (await ada.ask('GET', `/v1/tasks/${id}`)).body.data;
  return {
    ...{ bed, ada, phone, device, read },
    advance: (duration) => clock.advance(duration),
    create: async (fields) => {
      const { status, body } = await ada.ask('POST', '/v1/tasks', { title: 'pills', ...fields });
      if (status !== 200) throw new Error(`No task was made: ${JSON.stringify(body)}`);
      await bed.engine?.settled();
      return read(body.data.id);
    },
    [Symbol.asyncDispose]: () => bed[Symbol.asyncDispose](),
  };
}
