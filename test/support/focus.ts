/** Reaches controls with the keyboard alone. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** What a screen reader calls the control that has the focus. */
export const FOCUSED = `((at) => at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent)(document.activeElement)`;

export async function tabTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let tabs = 0; tabs < 40; tabs += 1) {
    if ((await page.evaluate<string>(FOCUSED)) === name) return;
    await page.keyboard.press(key);
  }
  assert.fail(`“${name}” cannot be reached by ${key}`);
}
