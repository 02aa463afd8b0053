/** The later dates of repeating tasks are read in blocks. Pure. */
export const BLOCK_DAYS = 35;
/** The service looks 400 days ahead at most. */
export const MOST_BLOCKS = 11;

/** How many blocks reach this day; those that are shown stay. */
export function blocksFor(day: string, firstDay: string, shown: number): number {
  const days = Math.round((Date.parse(day) - Date.parse(firstDay)) / 86_400_000);
  return Math.min(MOST_BLOCKS, Math.max(shown, Math.floor(days / BLOCK_DAYS) + 1));
}
