/** Checks screens with axe, and at 200 % zoom. CRESCENDO_SCREENSHOTS=1 saves a picture of each screen as well. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { findCutOff } from './cut-off.ts';
import { sized } from './size.ts';

const FOLDER = join(import.meta.dirname, '../../docs/screenshots');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SAVES_PICTURES = process.env.CRESCENDO_SCREENSHOTS !== undefined;

/** The screen behind an open dialog was checked before; only a full run checks it again. */
const PART = sized("document.querySelector('dialog[open]') ?? document", 'document');

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The violations that axe calls serious or critical, one line each. */
export async function seriousViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
  // In the middle of an animation the contrast is too low.
  await page.evaluate(
    'Promise.all(document.getAnimations().filter((a) => a.effect.getTiming().iterations === 1).map((a) => a.finished))',
  );
  const violations = await page.evaluate<Violation[]>(
    `axe.run(${PART}, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** Test browsers ask for less motion, so nothing moves; without that, what moves stops within five seconds. */
async function findMoving(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    "document.getAnimations().filter((a) => a.playState === 'running').map((a) => a.animationName ?? a.transitionProperty)",
  );
}

/** Twice as large, a window of 1,280 by 900 pixels has room for half of each. */
const ZOOMED = { width: 640, height: 450 };

/** No serious fault, nothing that moves, no sideways scrolling, and nothing cut off, also at 200 % zoom. */
export async function look(page: Page, name: string): Promise<void> {
  assert.deepEqual(await findMoving(page), [], `${name} moves`);
  assert.deepEqual(await seriousViolations(page), [], name);
  if (SAVES_PICTURES) await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
  assert.deepEqual(await findCutOff(page), [], name);
  const size = page.viewportSize();
  await page.setViewportSize(ZOOMED);
  assert.deepEqual(await findCutOff(page), [], `${name} at 200 %`);
  if (size) await page.setViewportSize(size);
}
