import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planAt } from './plan.ts';

const END = new Date('2026-03-01T00:00:00Z');
const pro = { plan: 'pro', plan_expires_at: END };

test('a plan that ends falls back to free at that moment, without a further event', () => {
  assert.deepEqual(planAt(pro, new Date(END.getTime() - 1)), pro);
  assert.deepEqual(planAt(pro, END), { plan: 'free', plan_expires_at: null });
});

test('a plan without an end never ends', () => {
  const lifetime = { plan: 'pro', plan_expires_at: null };
  assert.deepEqual(planAt(lifetime, new Date(8.64e15)), lifetime);
});
