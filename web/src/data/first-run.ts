/** What a new account is asked once, on Today. */
const KEY = 'crescendo-first-run';

export const SUGGESTED_QUIET_HOURS = { quiet_hours_start: '22:00', quiet_hours_end: '07:00' };

export const isFirstRun = () => localStorage.getItem(KEY) !== null;
export const beginFirstRun = () => localStorage.setItem(KEY, '1');
export const endFirstRun = () => localStorage.removeItem(KEY);
