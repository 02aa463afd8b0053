/** What does not fit on a screen: controls that are cut off or reach beyond its edge, and sideways scrolling. */
import type { Page } from 'playwright-core';

/** An open dialog covers the rest, which is looked at without it. */
const CUT_OFF = `(() => {
  const isShown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1;
  const scrolls = (element) => element !== null && (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  const pen = document.createElement('canvas').getContext('2d');
  const isChoiceCut = (select) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(select);
    pen.font = font;
    const width = pen.measureText(select.selectedOptions[0]?.text ?? '').width;
    return width > select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) + 1;
  };
  const cut = [];
  const place = document.querySelector('dialog[open]') ?? document;
  for (const control of place.querySelectorAll('button, a[href], summary, label, select, [role=button]')) {
    // The link that skips the navigation is shown only while it has the focus.
    if (!isShown(control) || control.matches('.sr-only:not(:focus)')) continue;
    const { left, right } = control.getBoundingClientRect();
    const isOutside = !scrolls(control) && (left < -1 || right > innerWidth + 1);
    const isCut = [control, ...control.querySelectorAll('*')].some(
      (part) => part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1 && !(part instanceof SVGElement));
    if (isOutside || isCut || (control instanceof HTMLSelectElement && isChoiceCut(control)))
      cut.push('cut off: ' + (control.selectedOptions?.[0]?.text || control.textContent || control.getAttribute('aria-label')));
  }
  const sideways = [document.documentElement, ...document.querySelectorAll('dialog[open], dialog[open] > *')].map(
    ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  return [...cut, ...sideways.filter((px) => px > 0).map((px) => 'scrolls sideways by ' + px + ' px')];
})()`;

/** A line for each fault. */
export const findCutOff = (page: Page): Promise<string[]> => page.evaluate<string[]>(CUT_OFF);
