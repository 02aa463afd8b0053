/** Where each list is. */
import type { ListName } from './group-tasks.ts';

export const LIST_PATHS = { today: '/', upcoming: '/upcoming', someday: '/someday' } as const satisfies Record<
  ListName,
  string
>;
export const LIST_NAMES = Object.keys(LIST_PATHS) as ListName[];
