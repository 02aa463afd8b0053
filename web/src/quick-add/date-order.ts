/** Whether 3/12 is the third of December. The browser's language suggests it; what the person says counts. */
const KEY = 'crescendo-date-order';

export function isDayFirst(): boolean {
  const chosen = localStorage.getItem(KEY);
  return chosen === null ? suggestDayFirst() : chosen === 'day';
}

export const setDayFirst = (dayFirst: boolean) => localStorage.setItem(KEY, dayFirst ? 'day' : 'month');

function suggestDayFirst(): boolean {
  const parts = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'numeric' }).formatToParts(0);
  const order = parts.map(({ type }) => type).filter((type) => type === 'day' || type === 'month');
  return order[0] === 'day';
}
