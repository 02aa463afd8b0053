/**
 * The messages on the screen, newest last. `ui/toasts.tsx` shows the newest; when it is undone or closed, the one below it
 * comes back for the rest of its time. So several actions in a row can be undone one after another.
 */
import { Store } from './store.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly endsAt: number;
  /** `isOffer`: it does something more, instead of undoing what happened. */
  readonly action?: { readonly label: string; readonly run: () => void; readonly isOffer?: boolean } | undefined;
}

/** How long a toast is shown. An action that it offers to undo waits at least as long before it is sent. */
export const TOAST_MS = 7_000;

export const toasts = new Store<readonly Toast[]>([]);

let count = 0;

export function showToast(text: string, action?: Toast['action']): void {
  count += 1;
  const toast: Toast = { id: count, text, action, endsAt: Date.now() + TOAST_MS };
  // Only the newest message without an action is of use.
  toasts.set([...toasts.value.filter((older) => older.action), toast]);
}

export const dismissToast = (toast: Toast): void => toasts.set(toasts.value.filter(({ id }) => id !== toast.id));

export const dropEndedToasts = (): void => toasts.set(toasts.value.filter(({ endsAt }) => endsAt > Date.now()));

export function runToast(toast: Toast): void {
  dismissToast(toast);
  toast.action?.run();
}

/** Undoes the newest action that can still be undone. Returns false if there is none. */
export function undoNewest(): boolean {
  const newest = toasts.value.findLast(({ action }) => action && !action.isOffer);
  if (newest) runToast(newest);
  return newest !== undefined;
}
