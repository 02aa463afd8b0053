/** How the person reads and writes dates and times: as the browser's language and region suggest, or as they chose. */

import { LOCALE } from '../strings.ts';

const KEYS = { order: 'crescendo-date-order', clock: 'crescendo-clock', week: 'crescendo-week' } as const;

export type Custom = keyof typeof KEYS;

/** Every row of a list asks, and reading the storage each time would be slow. */
const known = new Map<Custom, string>();

/** Undefined where the browser keeps nothing for this page. */
function storage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/** Empty if the browser's language decides. */
export function chosen(custom: Custom): string {
  const value = known.get(custom) ?? storage()?.getItem(KEYS[custom]) ?? '';
  known.set(custom, value);
  return value;
}

export function choose(custom: Custom, value: string): void {
  known.set(custom, value);
  if (value === '') storage()?.removeItem(KEYS[custom]);
  else storage()?.setItem(KEYS[custom], value);
}

/** Whether 3/12 is the third of December. */
export const isDayFirst = (): boolean => (chosen('order') || (suggestDayFirst() ? 'day' : 'month')) === 'day';

export const setDayFirst = (dayFirst: boolean) => choose('order', dayFirst ? 'day' : 'month');

function suggestDayFirst(): boolean {
  const parts = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'numeric' }).formatToParts(0);
  const order = parts.map(({ type }) => type).filter((type) => type === 'day' || type === 'month');
  return order[0] === 'day';
}

/** Whether times are shown as 6:30 pm. */
export const is12Hour = (): boolean => (chosen('clock') || (suggest12Hour() ? '12' : '24')) === '12';

const suggest12Hour = (): boolean =>
  new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions().hour12 ?? false;

/** Whether a typed 6:30 is always in the morning. English leaves it open in every region; other languages write 18:30. */
export function is24Hour(language?: string): boolean {
  if (language === undefined && chosen('clock') === '12') return false;
  const { locale, hourCycle } = new Intl.DateTimeFormat(language, { hour: 'numeric' }).resolvedOptions();
  return hourCycle === 'h23' && !/^en\b/.test(locale);
}

/** 1 for Monday to 7 for Sunday. */
export const firstWeekday = (): number => Number(chosen('week')) || suggestFirstWeekday();

/** The days of the week from the person's first one on; 0 for Monday. */
export const weekdayOrder = (): readonly number[] =>
  Array.from({ length: 7 }, (_, index) => (index + firstWeekday() - 1) % 7);

interface WithWeeks extends Intl.Locale {
  readonly weekInfo?: { readonly firstDay: number };
  getWeekInfo?(): { readonly firstDay: number };
}

/** Not every browser knows the weeks of a region. */
function suggestFirstWeekday(): number {
  const locale: WithWeeks = new Intl.Locale(navigator.language);
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
}

/** English in the order of the person: the words of the app are English. */
export const dateLocale = (): string => (isDayFirst() ? LOCALE : 'en-US');
