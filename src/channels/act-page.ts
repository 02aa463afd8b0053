/** The page behind the link in a message. Pure. It has forms and no script: a scanner that opens it changes nothing. */

import { escapeHtml } from '../lib/mail-html.ts';
import { words } from '../lib/words.ts';
import type { ActView, LinkAction } from './act-view.ts';

const BUTTONS: Partial<Record<ActView['state'], readonly Exclude<LinkAction, 'seen'>[]>> = {
  ready: ['done', 'snooze', 'stop'],
  seen: ['done', 'snooze'],
  done: ['undo'],
  to_confirm: ['confirm'],
  asked: ['accept', 'decline', 'stop'],
  told: ['stop'],
};

export const headingOf = ({ state }: ActView): string => words.actPage[state].heading;

export function renderPage(view: ActView): string {
  const { state, title, code, taskId } = view;
  const name = title ?? (code === undefined ? undefined : words.actTask(code));
  const { heading, text } = words.actPage[state];
  const buttons = (BUTTONS[state] ?? []).map(
    (action, index) =>
      `<form method="post" action="?do=${action}"><button${index === 0 ? ' class="first"' : ''}>` +
      `${words.actButtons[action]}</button></form>`,
  );
  return [
    `<h1>${heading}</h1>`,
    ...(name === undefined ? [] : [`<p><strong>${escapeHtml(name)}</strong></p>`]),
    ...(text === null ? [] : [`<p>${text}</p>`]),
    ...buttons,
    `<p><a href="/app${taskId === undefined ? '' : `/tasks/${taskId}`}">${words.actButtons.open}</a></p>`,
  ].join('\n');
}
