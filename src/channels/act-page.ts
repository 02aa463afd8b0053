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
  asked_to_stand_in: ['accept', 'decline', 'stop'],
  told: ['stop'],
};

/** A stand-in can also stop standing in, with one press. */
const STAND_IN_BUTTONS: typeof BUTTONS = {
  ready: ['done', 'snooze', 'leave', 'stop'],
  seen: ['done', 'snooze', 'leave'],
};

export const headingOf = ({ state }: ActView): string => words.actPage[state].heading;

export function renderPage(view: ActView): string {
  const { state, title, code, taskId, standsInFor } = view;
  const ofState = (standsInFor === undefined ? undefined : STAND_IN_BUTTONS[state]) ?? BUTTONS[state] ?? [];
  const name = title ?? (code === undefined ? undefined : words.actTask(code));
  const { heading, text } = words.actPage[state];
  const buttons = ofState.map(
    (action, index) =>
      `<form method="post" action="?do=${action}"><button${index === 0 ? ' class="first"' : ''}>` +
      `${words.actButtons[action]}</button></form>`,
  );
  return [
    `<h1>${heading}</h1>`,
    ...(name === undefined ? [] : [`<p><strong>${escapeHtml(name)}</strong></p>`]),
    ...(text === null ? [] : [`<p>${text}</p>`]),
    ...buttons,
    `<p><a href="/app${taskId === undefined ? (standsInFor === undefined ? '' : '/stand-ins') : `/tasks/${taskId}`}">${words.actButtons.open}</a></p>`,
  ].join('\n');
}
