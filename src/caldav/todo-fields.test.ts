import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  baseOf,
  dueKeyOf,
  FIELDS,
  isChanged,
  isDay,
  isSameSeries,
  readBase,
  ruleKey,
  textKey,
  withoutControls,
  writeBase,
} from './todo-fields.ts';

test('two texts are the same without what apps change in them', () => {
  assert.equal(withoutControls('a\r\nb\tc\u0000d\u0085e\rf'), 'a\nb\tc d e f');
  assert.deepEqual([textKey(null), textKey(' a \n'), textKey('a\u0007b')], ['', 'a', 'a b']);
});

test('a date is told by its day or its second, and nothing by nothing', () => {
  const due = {
    due_at: new Date('2026-03-05T08:00:00.999Z'),
    due_written: '2026-03-05T09:00:00+01:00',
    has_time: true,
  };
  const second = String(Date.parse('2026-03-05T08:00:00Z') / 1_000);
  assert.equal(dueKeyOf(due), second);
  assert.equal(dueKeyOf({ ...due, has_time: false }), '2026-03-05');
  assert.deepEqual([dueKeyOf({ ...due, due_at: null }), dueKeyOf({ ...due, due_written: null })], ['', '']);
  assert.deepEqual(['2026-03-05', second, '-86400', ''].map(isDay), [true, false, false, false]);
});

test('two rules are the same in any order, and without what is the default', () => {
  const key = 'BYDAY=FR,MO;COUNT=3;FREQ=WEEKLY';
  for (const rule of [
    'FREQ=WEEKLY;BYDAY=MO,FR;COUNT=3',
    'count=3; freq=weekly ;byday=fr,mo;',
    'FREQ=WEEKLY;INTERVAL=1;WKST=MO;COUNT=3;BYDAY=FR,MO',
  ])
    assert.equal(ruleKey(rule), key, rule);
  assert.equal(ruleKey('FREQ=DAILY;X-BYDAY=MO,FR;INTERVAL=2;WKST=SU'), 'FREQ=DAILY;INTERVAL=2;WKST=SU;X-BYDAY=MO,FR');
  assert.equal(ruleKey(''), '');
  assert.equal(isSameSeries(key, 'BYDAY=FR,MO;COUNT=2;FREQ=WEEKLY'), true);
  assert.equal(isSameSeries(key, 'BYDAY=FR,MO;FREQ=WEEKLY;UNTIL=20260305'), true);
  assert.equal(isSameSeries(key, 'BYDAY=FR;COUNT=3;FREQ=WEEKLY'), false);
  assert.equal(isSameSeries('FREQ=DAILY;X-COUNT=1', 'FREQ=DAILY;X-COUNT=2'), false);
  assert.equal(isSameSeries('A;B=1', 'AB=1'), false);
});

test('the base tells which fields an app has changed, and an unknown one tells nothing', () => {
  const keys = { title: 'a', notes: '', due: '', rule: '', label: 'todo', status: 'open' };
  const base = readBase(` ${writeBase(keys)} `);
  assert.ok(base);
  assert.deepEqual(base, baseOf(keys));
  const changed = { ...keys, notes: 'b', status: 'done' };
  assert.deepEqual(
    FIELDS.filter((name) => isChanged(base, changed, name)),
    ['notes', 'status'],
  );
  assert.match(writeBase(keys), /^1(\.[\w-]{8}){6}$/);
  for (const text of [undefined, '', '1', writeBase(keys).replace(/^1/, '2'), `${writeBase(keys)}.x`])
    assert.equal(readBase(text), undefined, `${text}`);
});
