/** Two people with tasks, a shared space and a history, for the screens. */

import { addDevice } from './fake-phones.ts';
import { makeAdmin, type Person, signIn } from './people.ts';
import type { TestApp } from './test-app.ts';

export const DEMO_STARTS_AT = '2026-01-05T09:00:00Z';
const WEEKS: readonly [done: number, skipped: number][] = [
  [3, 1],
  [5, 0],
  [4, 2],
  [6, 1],
  [5, 0],
  [7, 1],
  [6, 0],
  [8, 1],
];

/** Moves the app from DEMO_STARTS_AT to Monday, 2 March 2026, 11:50 in Amsterdam, in the middle of Ada's morning. */
export async function createDemoData(app: TestApp): Promise<{ ada: Person; spaceId: string; medicationId: string }> {
  const ada = await signIn(app, 'ada@example.org');
  const grace = await signIn(app, 'grace@example.org');
  await addDevice(app, ada.userId);
  await makeAdmin(app, ada);
  await ada.ask('PATCH', '/v1/me', { display_name: 'Ada', timezone: 'Europe/Amsterdam' });
  await grace.ask('PATCH', '/v1/me', { display_name: 'Grace', timezone: 'Europe/Amsterdam' });
  for (const [done, skipped] of WEEKS) await createDemoWeek(app, ada, done, skipped);

  const create = async (by: Person, fields: object) => (await by.ask('POST', '/v1/tasks', fields)).body.data;
  const space = (await ada.ask('POST', '/v1/spaces', { name: 'Home' })).body.data;
  const invite = (await ada.ask('POST', `/v1/spaces/${space.id}/invites`, {})).body.data;
  await grace.ask('POST', `/v1/invites/${invite.token}/accept`);
  await ada.ask('PATCH', '/v1/me', { quiet_hours_start: '22:00', quiet_hours_end: '07:00' });
  const at = (clock: string, day = '02') => ({ due_at: `2026-03-${day}T${clock}:00`, has_time: true });
  await create(ada, { title: 'Call the dentist', kind: 'health', ...at('10:05') });
  await create(ada, { title: 'Send the signed contract back', ...at('10:40'), notes: 'The blue folder, third page.' });
  const daily = { recurrence: { freq: 'daily' }, lead_time_days: 0, break_quiet_hours: true };
  const medication = await create(ada, { title: 'Take the medication', ...at('21:00'), ...daily });
  await create(ada, {
    title: 'Water the plants',
    due_at: '2026-03-02T12:00:00',
    recurrence: { freq: 'daily', interval: 3 },
  });
  await create(ada, {
    title: 'Gym with Grace',
    ...at('18:00', '05'),
    space_id: space.id,
    recurrence: { freq: 'weekly' },
  });
  await create(ada, {
    title: 'Pay the rent',
    kind: 'bill',
    ...at('09:00', '31'),
    recurrence: { freq: 'monthly', by_month_day: [-1] },
  });
  await create(ada, { title: 'Sort the photographs' });
  const paint = await create(ada, { title: 'Paint the fence', ...at('09:30') });
  await ada.ask('POST', `/v1/tasks/${paint.id}/snooze`, { until: '2026-03-07T10:00:00' });
  await create(grace, { title: 'Pick up the parcel', ...at('18:00'), owner_id: ada.userId, space_id: space.id });
  await create(ada, { title: 'Book the ferry', ...at('12:00', '06'), owner_id: grace.userId, space_id: space.id });
  await app.clock.advance('110m');
  return { ada, spaceId: space.id, medicationId: medication.id };
}

async function createDemoWeek(app: TestApp, ada: Person, done: number, skipped: number): Promise<void> {
  const ids: string[] = [];
  const due_at = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
  for (let number = 0; number < done + skipped; number += 1) {
    const title = ['Take the medication', 'Water the plants', 'Call mum', 'Empty the bins'][number % 4];
    const { body } = await ada.ask('POST', '/v1/tasks', { title, due_at, has_time: true });
    ids.push(body.data.id);
  }
  await app.clock.advance('90m');
  for (const [number, id] of ids.entries()) {
    await ada.ask('POST', `/v1/tasks/${id}/${number < done ? 'complete' : 'skip'}`);
    if (number === 3) await app.clock.advance('45m');
  }
  const minutesLeft = 7 * 1_440 - 90 - (ids.length > 3 ? 45 : 0);
  await app.clock.advance(`${minutesLeft}m`);
}
