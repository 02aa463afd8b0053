import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chosenWithin, isCovered, MOST_PER_TASK, type StandIn, standInsFor } from './stand-ins.ts';

const AGREED = new Date('2026-03-02T08:00:00Z');
const standIn = (fields: Partial<StandIn> = {}): StandIn => ({
  id: JSON.stringify(fields),
  owner_id: 'ada',
  person_id: 'grace',
  space_id: 'home',
  task_id: null,
  label: null,
  from_rung: 2,
  passes_quiet_hours: false,
  asked_at: AGREED,
  agreed_at: AGREED,
  ...fields,
});

const task = (fields: object = {}) => ({ id: 't1', kind: 'medicine', ladder_label: null, ...fields });
const told = (one: Parameters<typeof standInsFor>[0], ...all: StandIn[]) =>
  standInsFor(one, all).map(({ person_id, from_rung }) => `${person_id} ${from_rung}`);

test('the narrowest choice counts: the task, then its label, then everything', () => {
  const all = [
    standIn({ from_rung: 4 }),
    standIn({ label: 'medicine', from_rung: 3 }),
    standIn({ task_id: 't1', from_rung: 5 }),
  ];
  assert.deepEqual(told(task(), ...all), ['grace 5']);
  assert.deepEqual(told(task({ id: 't2' }), ...all), ['grace 3']);
  assert.deepEqual(told(task({ id: 't2', kind: 'home' }), ...all), ['grace 4']);
});

test('who has not agreed is not told, and a wider agreement counts until they answer', () => {
  assert.deepEqual(told(task(), standIn({ agreed_at: null })), []);
  assert.deepEqual(told(task(), standIn({ from_rung: 4 }), standIn({ task_id: 't1', from_rung: 0, agreed_at: null })), [
    'grace 4',
  ]);
});

test('who is left out of a task is not told of it, whatever they agreed to', () => {
  const leftOut = standIn({ task_id: 't1', from_rung: null, agreed_at: null });
  assert.deepEqual(told(task(), standIn(), leftOut), []);
  assert.deepEqual(told(task({ id: 't2' }), standIn(), leftOut), ['grace 2']);
});

test('a label that somebody else has changed tells nobody: the one that chooses the ladder counts', () => {
  const all = [standIn({ label: 'medicine' })];
  assert.deepEqual(told(task({ kind: 'medicine', ladder_label: 'home' }), ...all), []);
  assert.deepEqual(told(task({ kind: 'home', ladder_label: 'medicine' }), ...all), ['grace 2']);
});

test('nobody is asked again for less than they agreed to, and everybody for more', () => {
  const asked = { person_id: 'grace', space_id: 'home', task_id: 't1', label: null, from_rung: 2 };
  const wanted = (fields: object) => ({ ...asked, ...fields });
  const all = [standIn({ from_rung: 2 }), standIn({ person_id: 'hal', label: 'medicine', from_rung: 1 })];
  assert.ok(isCovered(wanted({ from_rung: 2 }), task(), all));
  assert.ok(!isCovered(wanted({ from_rung: 1 }), task(), all));
  assert.ok(isCovered(wanted({ person_id: 'hal', from_rung: 1 }), task(), all));
  assert.ok(!isCovered(wanted({ person_id: 'hal', from_rung: 1 }), task({ kind: 'home' }), all));
  assert.ok(!isCovered(wanted({ person_id: 'ivy' }), task(), all));
  assert.ok(!isCovered(wanted({ space_id: 'club' }), task(), all), 'it ends with another space');
  assert.ok(!isCovered(wanted({ person_id: 'grace', task_id: null }), null, [standIn({ agreed_at: null })]));
});

test('an agreement ends with what was chosen within it, and with nothing that was agreed to by itself', () => {
  const ended = standIn({ label: 'medicine', from_rung: 1 });
  const within = [standIn({ task_id: 't1', from_rung: 1 }), standIn({ task_id: 't2', from_rung: 4 })];
  const others = [
    standIn({ task_id: 't1', from_rung: 0 }),
    standIn({ task_id: 'other label', from_rung: 3 }),
    standIn({ task_id: 't1', from_rung: 3, agreed_at: null }),
    standIn({ task_id: 't1', from_rung: null }),
    standIn({ task_id: 't1', from_rung: 3, person_id: 'hal' }),
    standIn({ task_id: 't1', from_rung: 3, space_id: 'office' }),
    standIn({ label: 'home', from_rung: 3 }),
    standIn({ from_rung: 3 }),
  ];
  const tasks = [task(), task({ id: 't2' }), task({ id: 'other label', kind: 'home' })];
  const byId = new Map(tasks.map((one) => [one.id, one]));
  assert.deepEqual(chosenWithin(ended, [ended, ...others, ...within], byId), within);
  const all = [ended, standIn({ label: 'home', from_rung: 3 }), ...within];
  assert.deepEqual(chosenWithin(standIn({ from_rung: 1 }), all, byId), all);
});

test('nobody is told twice, nobody who has not agreed, and never a crowd', () => {
  const one = fc.record({
    person_id: fc.constantFrom('bea', 'cem', 'dan', 'eva', 'fay', 'gil', 'hal'),
    task_id: fc.constantFrom(null, 't1', 't2'),
    label: fc.constantFrom(null, 'medicine', 'home'),
    from_rung: fc.option(fc.nat({ max: 9 })),
    agreed_at: fc.option(fc.constant(AGREED)),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 12 }), (fields) => {
      const all = fields.map((each) => standIn(each.task_id === null ? each : { ...each, label: null }));
      const people = standInsFor(task(), all);
      assert.ok(people.length <= MOST_PER_TASK);
      assert.equal(new Set(people.map(({ person_id }) => person_id)).size, people.length);
      for (const { agreed_at, task_id, label, from_rung } of people) {
        assert.ok(agreed_at !== null && from_rung !== null);
        assert.ok(task_id === 't1' || (task_id === null && (label === null || label === 'medicine')));
      }
    }),
  );
});
