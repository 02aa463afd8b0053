import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readComponents } from './content-lines.ts';
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

const TEXT = [
  'BEGIN:VCALENDAR',
  'BEGIN:VTODO',
  'UID:the-uid',
  'SUMMARY;LANGUAGE="de":Milch\\, Eier',
  'DUE:20260302T090000Z',
  'BEGIN:VALARM',
  'ACTION:AUDIO',
  'END:VALARM',
  'BEGIN:VALARM',
  'ACTION:DISPLAY',
  'END:VALARM',
  'END:VTODO',
  'END:VCALENDAR',
].join('\r\n');

/** Whether the task above matches, which is due at nine. */
async function takes(inner: string, attributes = ''): Promise<boolean> {
  const filter = await readXml(
    `<C:filter xmlns:C="urn:ietf:params:xml:ns:caldav"><C:comp-filter name="VCALENDAR"><C:comp-filter name="VTODO"${attributes}>${inner}</C:comp-filter></C:comp-filter></C:filter>`,
  );
  const [calendar] = readComponents(TEXT);
  assert.ok(calendar);
  return readFilter(filter).matches({ calendar, times: { start: null, due: NINE, completed: null, created: 0 } });
}

const prop = (name: string, test: string) => `<C:prop-filter name="${name}">${test}</C:prop-filter>`;
const text = (value: string, attributes = '') => `<C:text-match${attributes}>${value}</C:text-match>`;
const range = (start: string, end: string) => `<C:time-range start="20260302T${start}Z" end="20260302T${end}Z"/>`;
const NEGATED = ' negate-condition="yes"';
const WHOLE = ' match-type="equals"';

test('a text is found in any case, in part or as a whole, or has to be missing', async () => {
  for (const [filter, expected] of [
    [text('milch, EIER'), true],
    [text('ilch'), true],
    [text('ilch', ' match-type="contains"'), true],
    [text('ilch', WHOLE), false],
    [text('MILCH, Eier', WHOLE), true],
    [text('Butter'), false],
    [text('Butter', NEGATED), true],
    [text('Milch', NEGATED), false],
    [text('Milch', ' negate-condition="no"'), true],
    [text('milch', ' collation="i;octet"'), false],
    [`<C:param-filter name="LANGUAGE">${text('de')}</C:param-filter>`, true],
    [`<C:param-filter name="LANGUAGE">${text('en')}</C:param-filter>`, false],
    ['<C:param-filter name="LANGUAGE"/>', true],
    ['<C:param-filter name="LANGUAGE"><C:is-not-defined/></C:param-filter>', false],
    ['<C:param-filter name="ALTREP"/>', false],
    ['<C:param-filter name="ALTREP"><C:is-not-defined/></C:param-filter>', true],
  ] as const)
    assert.equal(await takes(prop('SUMMARY', filter)), expected, filter);
});

test('a property is within a range from its begin to before its end, and one that is missing is in none', async () => {
  for (const [name, from, to, expected] of [
    ['DUE', '090000', '100000', true],
    ['DUE', '080000', '090000', false],
    ['DUE', '090001', '100000', false],
    ['COMPLETED', '000000', '235959', false],
  ] as const)
    assert.equal(await takes(prop(name, range(from, to))), expected, `${name} ${from}`);
  // Also one that the task does not have: the answer may have begun when a task that has it is found.
  for (const name of ['SUMMARY', 'LOCATION'])
    await assert.rejects(takes(prop(name, range('000000', '235959'))), { status: 403 });
});

test('all conditions have to hold, or any one where the app says so, and one part of a kind is enough', async () => {
  const [right, wrong] = [prop('UID', text('the-uid')), prop('UID', text('other'))];
  assert.deepEqual([await takes(right + wrong), await takes(wrong + right)], [false, false]);
  assert.deepEqual([await takes(wrong + right, ' test="anyof"'), await takes(wrong, ' test="anyof"')], [true, false]);
  const alarm = (action: string) => `<C:comp-filter name="VALARM">${prop('ACTION', text(action))}</C:comp-filter>`;
  assert.deepEqual([await takes(alarm('DISPLAY')), await takes(alarm('EMAIL'))], [true, false]);
  assert.equal(await takes('<C:comp-filter name="VALARM"><C:is-not-defined/></C:comp-filter>'), false);
});

test('a filter of more conditions or more levels than an app needs is refused', async () => {
  const many = (count: number) => Array.from({ length: count }, () => prop('UID', '')).join('');
  assert.equal(await takes(many(48)), true);
  await assert.rejects(takes(many(49)), { status: 403 });
  const deep = '<C:comp-filter name="X">'.repeat(3) + '</C:comp-filter>'.repeat(3);
  await assert.rejects(takes(deep), { status: 403 });
});
