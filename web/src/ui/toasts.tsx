/** Announces what just happened, with an optional action such as Undo, and disappears after a few seconds. */
import { useEffect } from 'react';
import { useStore } from '../data/store.ts';
import { dismissToast, dropEndedToasts, runToast, toasts, undoNewest } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { Button, IconButton } from './button.tsx';

export function Toasts() {
  const all = useStore(toasts);
  const toast = all.at(-1);
  const isUndo = toast?.action && !toast.action.isOffer;
  const below = all.filter(({ action }) => action && !action.isOffer).length - (isUndo ? 1 : 0);
  useEffect(() => {
    if (all.length === 0) return undefined;
    const nextEnd = Math.min(...all.map(({ endsAt }) => endsAt));
    const timer = setTimeout(dropEndedToasts, Math.max(0, nextEnd - Date.now()));
    return () => clearTimeout(timer);
  }, [all]);
  useUndoKey();
  return (
    <div
      className="pointer-events-none fixed inset-x-0 bottom-[calc(5.5rem+env(safe-area-inset-bottom))] z-40 flex justify-center px-4 lg:bottom-8 lg:pl-64"
      role="status"
      aria-live="polite"
    >
      {toast && (
        <div
          key={toast.id}
          className="rises pointer-events-auto flex max-w-md items-center gap-2 rounded-[1.75rem] bg-ink py-1.5 pr-1.5 pl-5 text-paper shadow-float"
        >
          <span className="line-clamp-3 min-w-0 grow text-[0.95rem]">
            {toast.text}
            {below > 0 && <span className="block text-sm opacity-80">{strings.moreToUndo(below)}</span>}
            {isUndo && <span className="sr-only"> {strings.undoKey}</span>}
          </span>
          {toast.action && (
            <Button
              variant="plain"
              {...(isUndo && { 'aria-keyshortcuts': 'Control+Z Meta+Z', title: strings.undoKey })}
              className="min-h-10 px-4 font-semibold text-paper! underline underline-offset-4 hover:bg-paper/15!"
              onClick={() => runToast(toast)}
            >
              {toast.action.label}
            </Button>
          )}
          <IconButton
            icon="close"
            label={strings.close}
            onClick={() => dismissToast(toast)}
            className="size-10! text-paper/80! hover:bg-paper/15! hover:text-paper!"
          />
        </div>
      )}
    </div>
  );
}

/** Ctrl+Z, or Cmd+Z, undoes what a toast offers to undo, except in a field, where it undoes typing. */
function useUndoKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isUndo = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey);
      if (!isUndo || event.shiftKey || event.altKey || isTyping(event.target)) return;
      if (undoNewest()) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** An empty field has nothing to undo: the focus goes there after a task was added. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input,textarea,select,dialog') !== null &&
  !(target instanceof HTMLTextAreaElement && target.name === 'quick-add' && target.value === '');
