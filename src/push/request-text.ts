/** The text of a message about a request. Pure. It quotes the title alone of what the other person wrote. */
import { words } from '../lib/words.ts';
import type { PushedTask, RequestNews } from './gateway.ts';
import { dueText } from './push-text.ts';

/** Has buttons to accept and to decline. */
export const isQuestion = (kind: RequestNews['kind']): boolean => kind === 'asked' || kind === 'stand_in_asked';

export const requestTitle = (kind: RequestNews['kind'], title: string): string => words.request.titles[kind](title);

/** For a message that must not name the task. */
export const privateRequestTitle = (kind: RequestNews['kind'], code: string): string =>
  `${words.request.privateTitles[kind]} (${code})`;

export function requestBody({ kind, name, spaceName }: RequestNews, task: PushedTask, isPrivate: boolean): string {
  if (isPrivate) return words.request.privateBody;
  const sentence = words.request.bodies[kind](name ?? words.request.somebody, spaceName);
  const due = kind === 'asked' ? dueText(task) : null;
  return due === null ? sentence : `${sentence} ${due}`;
}
