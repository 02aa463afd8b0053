import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFilter } from './filters.ts';
import { readXml } from './xml-reader.ts';

const NINE = Date.parse('2026-03-02T09:00:00Z');
const HOUR = 3_600_000;

/** Whether a task with these times is among the tasks of the hours from eight to ten. */
async function isFound(times: {
  start?: number;
  due?: number;
  completed?: number;
  created?: number;
}): Promise<boolean> {
  const range = '<C:time-range start="20260302T080000Z" end="20260302T100000Z"/>';
  const filter = await readXml(
    `<C:filter xmlns:C="urn:ietf:params:xml:ns:caldav"><C:comp-filter name="VCALENDAR"><C:comp-filter name="VTODO">${range}</C:comp-filter></C:comp-filter></C:filter>`,
  );
  const calendar = { name: 'VCALENDAR', lines: [], parts: [{ name: 'VTODO', lines: [], parts: [] }] };
  const all = { start: null, due: null, completed: null, created: 0, ...times };
  return readFilter(filter).matches({ calendar, times: all });
}

test('a range of time has the tasks that the table of RFC 4791 says, at its ends too', async () => {
  assert.deepEqual(await Promise.all([-2, -1, 0, 1, 2].map((hours) => isFound({ due: NINE + hours * HOUR }))), [
    false,
    false,
    true,
    true,
    false,
  ]);
  assert.equal(await isFound({ start: NINE - 3 * HOUR, due: NINE + 3 * HOUR }), true);
  assert.equal(await isFound({ start: NINE - 3 * HOUR, due: NINE - HOUR }), false);
  assert.equal(await isFound({ created: NINE - 9 * HOUR, completed: NINE - HOUR }), true);
  assert.equal(await isFound({ created: NINE - 9 * HOUR, completed: NINE - 2 * HOUR }), false);
  assert.equal(await isFound({ created: NINE + 2 * HOUR }), false);
});
