/** English names of days and months. The words that the web app shows are in its own catalogue, for translation. */
export const WEEKDAY_CODES = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'];
export const WEEKDAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
export const MONTH_NAMES =
  'January February March April May June July August September October November December'.split(' ');

/** `Mon`, `Jan`. */
export const shortName = (name = ''): string => name.slice(0, 3);
