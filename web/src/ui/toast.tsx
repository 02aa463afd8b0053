/** Announces what just happened, with an optional action such as Undo, and disappears after a few seconds. */
import { useEffect } from 'react';
import { useStore } from '../data/store.ts';
import { currentToast, dismissToast, runToastAction, TOAST_MS } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { Button, IconButton } from './button.tsx';

export function Toasts() {
  const toast = useStore(currentToast);
  useEffect(() => {
    if (!toast) return undefined;
    const timer = setTimeout(dismissToast, TOAST_MS);
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
              variant="plain"
              className="min-h-10 px-4 font-semibold text-paper! underline underline-offset-4 hover:bg-paper/15!"
              aria-keyshortcuts="Control+Z"
              onClick={runToastAction}
            >
              {toast.action.label}
            </Button>
          )}
          <IconButton
            icon="close"
            label={strings.close}
            onClick={dismissToast}
            className="size-10! text-paper/80! hover:bg-paper/15! hover:text-paper!"
          />
        </div>
      )}
    </div>
  );
}
