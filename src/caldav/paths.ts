/**
 * The addresses of CalDAV. Each kind has its own form, and everything else is not found.
 *
 * | path                                       | is                                          |
 * | ------------------------------------------ | ------------------------------------------- |
 * | `/caldav/`                                 | where an app begins                         |
 * | `/caldav/principals/USER/`                 | the person                                  |
 * | `/caldav/calendars/USER/`                  | the home, which holds the lists             |
 * | `/caldav/calendars/USER/tasks/`            | the list of tasks outside of spaces         |
 * | `/caldav/calendars/USER/SPACE/`            | the list of the person's tasks in a space   |
 * | `/caldav/calendars/USER/LIST/NAME`         | a task; apps choose the name of theirs      |
 */
import { isUuid } from '../lib/ids.ts';

export const ROOT = '/caldav/';
/** The list of tasks that are in no space. */
export const PERSONAL = 'tasks';
const LONGEST_NAME = 255;

export type DavPath =
  | { readonly kind: 'root' }
  | { readonly kind: 'principal' | 'home'; readonly userId: string }
  | { readonly kind: 'list'; readonly userId: string; readonly list: string }
  | { readonly kind: 'task'; readonly userId: string; readonly list: string; readonly name: string };

/** Undefined if there can be nothing at this path. `url` is the path as it was sent, maybe with host or query. */
export function parsePath(url: string): DavPath | undefined {
  const path = url.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  if (['', '/', '/caldav', ROOT].includes(path)) return { kind: 'root' };
  if (!path.startsWith(ROOT)) return undefined;
  const segments = path.slice(ROOT.length).split('/').map(decode);
  const hasSlash = segments.at(-1) === '';
  if (hasSlash) segments.pop();
  const [area, userId = '', ...within] = segments;
  if (segments.includes(undefined) || segments.includes('') || !isUuid(userId)) return undefined;
  const user = userId.toLowerCase();
  if (area === 'principals') return within.length === 0 ? { kind: 'principal', userId: user } : undefined;
  return area === 'calendars' ? inHome(user, within as string[], hasSlash) : undefined;
}

function inHome(userId: string, [list, name, ...more]: string[], hasSlash: boolean): DavPath | undefined {
  if (list === undefined) return { kind: 'home', userId };
  if (more.length > 0 || (list !== PERSONAL && !isUuid(list))) return undefined;
  if (name === undefined) return { kind: 'list', userId, list: list.toLowerCase() };
  return hasSlash || !isName(name) ? undefined : { kind: 'task', userId, list: list.toLowerCase(), name };
}

const isName = (name: string): boolean => name.length <= LONGEST_NAME && !/[/\p{Cc}]/u.test(name);

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

export const principalPath = (userId: string): string => `${ROOT}principals/${userId}/`;
export const homePath = (userId: string): string => `${ROOT}calendars/${userId}/`;
export const listPath = (userId: string, list: string): string => `${homePath(userId)}${list}/`;
export const taskPath = (userId: string, list: string, name: string): string =>
  `${listPath(userId, list)}${encodeURIComponent(name)}`;

/** The name of a task that no app has named. */
export const ownName = (taskId: string): string => `${taskId}.ics`;

/** The task that such a name means. */
export const idInName = (name: string): string | undefined => {
  const id = name.replace(/\.ics$/i, '');
  return isUuid(id) ? id.toLowerCase() : undefined;
};

export const listOfSpace = (spaceId: string | null): string => spaceId ?? PERSONAL;
export const spaceOfList = (list: string): string | null => (list === PERSONAL ? null : list);
