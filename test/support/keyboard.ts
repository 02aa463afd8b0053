/** A person without a pointer: reaches controls by Tab, and finds them by the role and the name that is said. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { waitUntil } from './wait-until.ts';

/** More than any screen has between two controls of a job. */
const MOST_TABS = 60;

export type Role = 'button' | 'link' | 'textbox' | 'switch' | 'region';

/** Whether it is inside the window, and nothing above it. */
export const isInView = (control: Locator): Promise<boolean> =>
  control.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2));
  });

export class Keyboard {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async reach(role: Role, name: string | RegExp, isInDialog = false): Promise<void> {
    const place = isInDialog ? this.page.getByRole('dialog') : this.page;
    await this.#tabTo(place.getByRole(role, { name, exact: true }), `${role} “${name}”`);
  }

  /** A field without a role of its own, such as one for a time. */
  async reachField(label: string): Promise<void> {
    await this.#tabTo(this.page.getByLabel(label, { exact: true }), `field “${label}”`);
  }

  async #tabTo(wanted: Locator, what: string, key = 'Tab'): Promise<void> {
    await wanted.first().waitFor();
    for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
      const focused = wanted.and(this.page.locator(':focus'));
      if ((await focused.count()) > 0) return assert.ok(await isInView(focused), `${what} is covered`);
      await this.page.keyboard.press(key);
    }
    assert.fail(`${what} cannot be reached by Tab`);
  }

  async press(role: Role, name: string, isInDialog = false): Promise<void> {
    await this.reach(role, name, isInDialog);
    await this.page.keyboard.press('Enter');
  }

  async heading(name: string): Promise<void> {
    await this.page.getByRole('heading', { name, exact: true }).first().waitFor();
  }

  /** The place where the focus is, as a screen reader names it. A new screen takes the focus once it is drawn. */
  async expectFocus(name: string): Promise<void> {
    const focused = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent";
    await waitUntil(async () => (await this.page.evaluate<string>(focused)) === name);
  }

  /** The same for a field, which is named by its label. */
  async expectFocusIn(label: string): Promise<void> {
    await this.page.getByLabel(label, { exact: true }).and(this.page.locator(':focus')).waitFor();
  }

  /** Tab selects what a field holds, so that typing replaces it. */
  async fill(label: string, figures: string): Promise<void> {
    await this.reachField(label);
    await this.page.keyboard.type(figures);
  }

  /** A browser asks for the half of the day or not, as its region has it. */
  async fillTime(label: string, time: string): Promise<void> {
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    const two = (number: number) => String(number).padStart(2, '0');
    await this.fill(label, `${two(hour % 12 || 12)}${two(minute)}${hour < 12 ? 'a' : 'p'}`);
    const field = this.page.locator(':focus');
    if ((await field.inputValue()) === time) return;
    for (let part = 0; part < 2; part += 1) await this.page.keyboard.press('ArrowLeft');
    await this.page.keyboard.type(`${two(hour)}${two(minute)}`);
    assert.equal(await field.inputValue(), time);
  }

  /** A closed list goes to its first option, and from one to the next. */
  async choose(label: string, option: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await this.#tabTo(this.page.getByLabel(label, { exact: true }), `list “${label}”`, key);
    await this.page.keyboard.press('Home');
    const chosen = this.page.locator(':focus').locator('option:checked');
    for (let steps = 0; (await chosen.textContent()) !== option; steps += 1) {
      assert.ok(steps < MOST_TABS, `“${label}” has no option “${option}”`);
      await this.page.keyboard.press('ArrowDown');
    }
  }
}
