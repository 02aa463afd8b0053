/** The mail that a message becomes. Pure. */

import { escapeHtml, mailHtml } from '../../lib/mail-html.ts';
import type { Mail } from '../../lib/mailer.ts';
import { words } from '../../lib/words.ts';
import type { ChannelMessage } from '../channel-provider.ts';
import { truncateToBytes } from '../payload-limits.ts';

/** Mail programs show far less of it. */
const LONGEST_SUBJECT_BYTES = 200;

/**
 * The id is the same for every attempt, so that a mailbox which got the mail twice, because the first answer was lost,
 * can show it once. All mails about a task refer to the same id, so that they form one thread.
 */
export function buildMail(message: ChannelMessage, to: string, host: string): Mail {
  const { id, taskId, kind, stage, actions, confirm } = message;
  return {
    to,
    subject: subjectOf(message),
    text: textOf(message),
    html: htmlOf(message),
    messageId: `<${id}@${host}>`,
    ...(taskId !== null && { references: `<${taskId}@${host}>` }),
    priority: kind === 'nudge' && stage >= 1 ? 'high' : 'normal',
    headers: { 'Auto-Submitted': 'auto-generated', ...(actions && !confirm && unsubscribeHeaders(actions.stop)) },
  };
}

/** One-click unsubscribing needs https (RFC 8058). */
const unsubscribeHeaders = (url: string): Record<string, string> =>
  url.startsWith('https:')
    ? { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
    : { 'List-Unsubscribe': `<${url}>` };

function subjectOf({ kind, title, body, stage }: ChannelMessage): string {
  const shown = truncateToBytes(title.replaceAll(/\s+/g, ' '), LONGEST_SUBJECT_BYTES);
  // At the last stage the subject says for how long the task has been open.
  return kind === 'nudge' && stage >= 2 ? `${shown}: ${body.charAt(0).toLowerCase()}${body.slice(1)}` : shown;
}

const appUrl = (page: string) => new URL('/app', page).href;

function textOf({ title, body, actions, pageLabel, confirm, isLast }: ChannelMessage): string {
  const links = confirm
    ? [words.notice.confirmLink(confirm.url)]
    : actions
      ? [
          words.nudgeMail.page(pageLabel, actions.page),
          ...(isLast ? [words.nudgeMail.last(appUrl(actions.page))] : []),
          words.nudgeMail.stopAt(actions.stop),
        ]
      : [];
  return [title, body, ...links].join('\n\n');
}

function htmlOf({ title, body, actions, pageLabel, confirm, isLast }: ChannelMessage): string {
  const blocks = [`<h1 style="font-size:1.25em">${escapeHtml(title)}</h1>`, `<p>${escapeHtml(body)}</p>`];
  if (confirm) blocks.push(button(confirm.url, words.nudge.confirm));
  else if (actions) {
    blocks.push(button(actions.page, pageLabel));
    if (isLast) {
      const app = `<a href="${escapeHtml(appUrl(actions.page))}">${words.nudgeMail.openApp}</a>`;
      blocks.push(`<p>${words.nudgeMail.last(app)}.</p>`);
    }
    blocks.push(`<p style="color:#777"><a href="${escapeHtml(actions.stop)}">${words.nudgeMail.stop}</a></p>`);
  }
  return mailHtml(...blocks);
}

const button = (url: string, label: string) =>
  `<p><a href="${escapeHtml(url)}" style="display:inline-block;padding:.6em 1.2em;border-radius:.5em;` +
  `background:#d9480f;color:#fff;text-decoration:none">${label}</a></p>`;
