/** Up to when the nudges of this browser were closed unanswered, shared by its pages. */
import { Store } from '../data/store.ts';

const KEY = 'crescendo-nudges-seen';

/** Milliseconds of the service's clock. */
export const seenUntil = new Store(Number(localStorage.getItem(KEY)));

addEventListener('storage', ({ key, newValue }) => {
  if (key === KEY) seenUntil.set(Number(newValue));
});

export function setSeenUntil(at: number): void {
  localStorage.setItem(KEY, String(at));
  seenUntil.set(at);
}
