import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const MOST_SECONDS = 5;
const CSS = readFileSync(join(import.meta.dirname, 'styles.css'), 'utf8');
const STILL = /prefers-reduced-motion: reduce\) \{([^}]*)\}/.exec(CSS)?.[1] ?? '';

const seconds = (time: string): number => Number.parseFloat(time) / (time.endsWith('ms') ? 1_000 : 1);

/** Each class that is animated, with the value of `animation`. */
const ANIMATED = [...CSS.matchAll(/^ *\.([\w-]+) \{[^}]*?\banimation: (?!none)([^;]+);/gm)].map(
  ([, name = '', value = '']) => ({ name, value }),
);

test('what moves stops within five seconds, and does not move for a person who asked for less motion', () => {
  assert.equal(ANIMATED.length, CSS.match(/\banimation: (?!none)/g)?.length);
  assert.ok(ANIMATED.length > 0);
  for (const { name, value } of ANIMATED) {
    const words = value.replace(/\([^)]*\)/g, '').split(/\s+/);
    const times = words.filter((word) => /^[\d.]+m?s$/.test(word)).map(seconds);
    const rounds = words.includes('infinite')
      ? Number.POSITIVE_INFINITY
      : Number(words.find((word) => /^\d+$/.test(word)) ?? 1);
    const [duration = 0, delay = 0] = times;
    assert.ok(times.length > 0 && delay + duration * rounds <= MOST_SECONDS, `.${name}: ${value}`);
    assert.match(STILL, new RegExp(`\\.${name}\\b`), `.${name} is not stopped`);
  }
});
