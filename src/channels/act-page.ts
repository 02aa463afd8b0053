/** The page behind the link in a message. Pure. It has forms and no script: a scanner that opens it changes nothing. */
import { escapeHtml } from '../lib/mail-html.ts';
import type { ActView, Deed } from './act.service.ts';

const HEADINGS: Readonly<Record<ActView['state'], string>> = {
  ready: 'Is it done?',
  done: 'Done',
  snoozed: 'Snoozed for an hour',
  seen: 'Seen',
  undone: 'Open again',
  stopped: 'Switched off',
  passed: 'Already dealt with',
  too_late_to_undo: 'Too late to take back',
  expired: 'This link has expired',
  unknown: 'This link is not known here',
  to_confirm: 'Be reminded here?',
  confirmed: 'Confirmed',
  wrong_code: 'This link no longer works',
};

const TEXTS: Partial<Record<ActView['state'], string>> = {
  stopped: 'No more messages come through this channel. You can switch it on again in the app.',
  passed: 'The task has moved on, so this changed nothing.',
  too_late_to_undo: 'There is nothing to take back any more. The app can still change the task.',
  expired: 'Open the app to see what is due.',
  unknown: 'Open the newest message, or the app.',
  to_confirm: 'Reminders of your Crescendo account will come here. If you did not ask for that, close this page.',
  confirmed: 'Reminders come here from now on.',
  wrong_code: 'It was used already, or is too old. Ask for a new one in the app.',
};

const BUTTONS: Partial<Record<ActView['state'], readonly [Deed, string][]>> = {
  ready: [
    ['done', 'Done'],
    ['snooze', 'Snooze for an hour'],
    ['stop', 'No more of these messages'],
  ],
  seen: [
    ['done', 'Done'],
    ['snooze', 'Snooze for an hour'],
  ],
  done: [['undo', 'Undo']],
  to_confirm: [['confirm', 'Confirm']],
};

export const headingOf = ({ state }: ActView): string => HEADINGS[state];

export function renderPage(view: ActView): string {
  const { state, title } = view;
  const text = TEXTS[state];
  const buttons = (BUTTONS[state] ?? []).map(
    ([deed, label], index) =>
      `<form method="post" action="?do=${deed}"><button${index === 0 ? ' class="first"' : ''}>${label}</button></form>`,
  );
  return [
    `<h1>${HEADINGS[state]}</h1>`,
    ...(title === null ? [] : [`<p><strong>${escapeHtml(title)}</strong></p>`]),
    ...(text ? [`<p>${text}</p>`] : []),
    ...buttons,
    '<p><a href="/app">Open the app</a></p>',
  ].join('\n');
}
