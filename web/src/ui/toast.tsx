/** What just happened, with a way back. Announced to screen readers, and gone by itself. */
import { useEffect } from 'react';
import { Store, useStore } from '../data/store.ts';
import { strings } from '../strings.ts';
import { Button, IconButton } from './button.tsx';

const SHOWN_MS = 7_000;

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

const current = new Store<Toast | undefined>(undefined);
let count = 0;

export function say(text: string, action?: Toast['action']): void {
  count += 1;
  current.set({ id: count, text, action });
}

const dismiss = () => current.set(undefined);

export function Toasts() {
  const toast = useStore(current);
  useEffect(() => {
    if (!toast) return undefined;
    const timer = setTimeout(dismiss, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <div
      className="pointer-events-none fixed inset-x-0 bottom-[calc(5.5rem+env(safe-area-inset-bottom))] z-40 flex justify-center px-4 lg:bottom-8 lg:pl-64"
      role="status"
      aria-live="polite"
    >
      {toast && (
        <div
          key={toast.id}
          className="rises pointer-events-auto flex max-w-md items-center gap-2 rounded-full bg-ink py-1.5 pr-1.5 pl-5 text-paper shadow-float"
        >
          <span className="line-clamp-2 min-w-0 grow text-[0.95rem]">{toast.text}</span>
          {toast.action && (
            <Button
              look="plain"
              className="min-h-10 px-4 font-semibold text-paper! underline underline-offset-4 hover:bg-paper/15!"
              onClick={() => {
                toast.action?.run();
                dismiss();
              }}
            >
              {toast.action.label}
            </Button>
          )}
          <IconButton
            icon="close"
            label={strings.close}
            onClick={dismiss}
            className="size-10! text-paper/80! hover:bg-paper/15! hover:text-paper!"
          />
        </div>
      )}
    </div>
  );
}
