/**
 * Pages of two or three rows, so that nearly every account has several. Like a break, this changes lines of the service
 * as they are loaded. It begins when a world ends: then nothing happens while the pages are read. Before that, imports
 * alone have small pages.
 */
import type { Piece } from './break.ts';

type SetSize = (isSmall: boolean) => void;

/** Where a size stands, the usual one, and the small one. */
const SIZES = [
  ['src/lib/pages.ts', 'ROWS_PER_PAGE', '200', 3],
  ['src/lib/pages.ts', 'ROWS_PER_LATER_PAGE', '100', 2],
  ['src/tasks/shown-tasks.store.ts', 'IDS_PER_TURN', '1_000', 2],
  ['src/tasks/task-search.service.ts', 'TASKS_PER_PAGE', '100', 2],
  ['src/calendar/calendar.service.ts', 'TASKS_PER_PAGE', '100', 2],
  ['src/archive/export.service.ts', 'TASKS_PER_PAGE', '50', 3],
  ['src/archive/history.ts', 'ROWS_PER_PAGE', '1_000', 2],
  ['src/tasks/task-import.service.ts', 'CHARACTERS_PER_PAGE', '200_000', 12_000],
] as const;

const setters: SetSize[] = [];

/** The sources call this when they are loaded. */
const HOOK = 'crescendoPageSize';
Object.assign(globalThis, { [HOOK]: (set: SetSize) => setters.push(set) });

export const PAGE_SIZES: readonly (Piece & { readonly file: string })[] = SIZES.map(([file, name, usual, small]) => ({
  file,
  piece: `const ${name} = ${usual};`,
  replacement: `let ${name} = ${usual};\nglobalThis.${HOOK}((isSmall) => { ${name} = isSmall ? ${small} : ${usual}; });`,
}));

export function usePages(size: 'small' | 'usual'): void {
  for (const set of setters) set(size === 'small');
}
