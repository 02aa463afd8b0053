/** The toast on the screen, if any. `ui/toast.tsx` draws it. */
import { Store } from './store.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

/** How long a toast is shown. What it offers to undo waits at least as long before it is sent. */
export const TOAST_MS = 7_000;

export const currentToast = new Store<Toast | undefined>(undefined);

let count = 0;

export function showToast(text: string, action?: Toast['action']): void {
  count += 1;
  currentToast.set({ id: count, text, action });
}

export const dismissToast = () => currentToast.set(undefined);

/** Returns false if the toast on the screen offers nothing. */
export function runToastAction(): boolean {
  const action = currentToast.value?.action;
  if (!action) return false;
  dismissToast();
  action.run();
  return true;
}
