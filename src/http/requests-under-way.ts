/**
 * Counts the requests that arrived in about the last second and are not answered yet. Older ones, such as a slow
 * upload or an export that is read slowly, wait for their client and not for this process.
 */
import { stopwatch } from '../lib/clock.ts';

const SLOT_MS = 250;
const SLOTS = 4;

export class RequestsUnderWay {
  #slots = [{ count: 0 }];
  #slotMs = stopwatch();

  get count(): number {
    this.#dropOldSlots();
    return this.#slots.reduce((sum, { count }) => sum + count, 0);
  }

  /** Returns what is to be called when the request is over. A slot that was dropped may still be counted down. */
  begin(): () => void {
    this.#dropOldSlots();
    const slot = this.#slots[0] as { count: number };
    slot.count += 1;
    return () => {
      slot.count -= 1;
    };
  }

  #dropOldSlots(): void {
    const passed = Math.min(Math.floor(this.#slotMs() / SLOT_MS), SLOTS);
    if (passed === 0) return;
    const added = Array.from({ length: passed }, () => ({ count: 0 }));
    this.#slots = [...added, ...this.#slots].slice(0, SLOTS);
    this.#slotMs = stopwatch();
  }
}
