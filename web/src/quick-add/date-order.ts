/** How the person writes dates and times. */

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

/** Whether 6:30 is always in the morning. English leaves it open in every region; other languages write 18:30. */
export function is24Hour(language?: string): boolean {
  const { locale, hourCycle } = new Intl.DateTimeFormat(language, { hour: 'numeric' }).resolvedOptions();
  return hourCycle === 'h23' && !/^en\b/.test(locale);
}
