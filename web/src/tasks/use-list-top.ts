import { type RefObject, useLayoutEffect, useState } from 'react';

/** Where a list begins on the page, in pixels: one that draws only the rows on the screen counts from there. */
export function useListTop(list: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setTop(list.current ? Math.round(list.current.getBoundingClientRect().top + scrollY) : 0);
    measure();
    // A change above the list also changes the height of the page.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [list]);
  return top;
}
