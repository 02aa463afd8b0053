/** The tasks of a list that the user has selected, and the keys for it. */
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Task } from '../api/client.ts';
import { hasSingleKeys } from '../find/shortcuts.ts';
import { EMPTY_SELECTION, extend, keepShown, type Selection, toggle } from './selection.ts';
import { checkboxId } from './task-row.tsx';

export function useSelection(tasks: readonly Task[], area: RefObject<HTMLElement | null>) {
  const [stored, setSelection] = useState<Selection>();
  const order = useMemo(() => tasks.map(({ id }) => id), [tasks]);
  const selection = useMemo(() => stored && keepShown(stored, order), [stored, order]);
  // Read by `select`, which must stay the same function: otherwise every row is drawn again.
  const current = useRef({ selection, order });
  current.current = { selection, order };
  const select = useCallback((taskId: string, isRange: boolean) => {
    const { selection: before = EMPTY_SELECTION, order: shown } = current.current;
    setSelection(isRange ? extend(before, taskId, shown) : toggle(before, taskId));
  }, []);
  const stop = useCallback(() => setSelection(undefined), []);
  const selectAll = useCallback(() => setSelection({ ids: new Set(current.current.order), anchor: undefined }), []);
  useEffect(() => {
    const element = area.current;
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target as Element;
      const taskId = target.closest<HTMLElement>('[data-task]')?.dataset.task;
      const action = target.closest('dialog') ? undefined : keyAction(event, taskId);
      if (!action) return;
      event.preventDefault();
      action();
    };
    const keyAction = (event: KeyboardEvent, taskId: string | undefined) => {
      const isCommand = event.ctrlKey || event.metaKey;
      if (taskId && event.key.toLowerCase() === 'x' && !isCommand && hasSingleKeys.value)
        return () => focusAfter(() => select(taskId, event.shiftKey), `#${CSS.escape(checkboxId(taskId))}`);
      if (!current.current.selection) return undefined;
      if (isCommand && event.key === 'a') return selectAll;
      return event.key === 'Escape' ? () => focusAfter(stop, `[data-task="${taskId}"] a`) : undefined;
    };
    element?.addEventListener('keydown', onKeyDown);
    return () => element?.removeEventListener('keydown', onKeyDown);
  }, [area, select, selectAll, stop]);
  return { ids: selection?.ids, select, start: () => setSelection(EMPTY_SELECTION), stop, selectAll };
}

/** The link and the checkbox of a row replace each other, so the focus has to follow. */
function focusAfter(change: () => void, selector: string): void {
  flushSync(change);
  document.querySelector<HTMLElement>(selector)?.focus();
}
