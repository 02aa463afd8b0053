/**
 * Ignores the second of two quick clicks at the same place inside an element. After a Done the next row
 * slides under the pointer, so the second click of a double click would finish that task too.
 */
import { type RefObject, useEffect } from 'react';

const QUICK_MS = 600;
/** How far a finger or a mouse moves between two clicks that are meant for the same thing. */
const SAME_PLACE_PX = 24;

export function useSteadyClicks(area: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let last = { at: 0, x: 0, y: 0 };
    const onClick = (event: MouseEvent) => {
      // A click by keyboard has no place, and acts on the element that has the focus. A click on a label is followed
      // by one on its field, at the same place.
      if (event.detail === 0 || (event.target as Element).closest('label,input')) return;
      const click = { at: Date.now(), x: event.clientX, y: event.clientY };
      const isQuick = click.at - last.at < QUICK_MS;
      const isSamePlace = Math.hypot(click.x - last.x, click.y - last.y) < SAME_PLACE_PX;
      last = click;
      if (!isQuick || !isSamePlace || !area.current?.contains(event.target as Node)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    // On the document and before React, so that clicks elsewhere count as the last click too.
    document.addEventListener('click', onClick, true);
    return () => document.removeEventListener('click', onClick, true);
  }, [area]);
}
