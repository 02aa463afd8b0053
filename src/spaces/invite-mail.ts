import type { Mail } from '../lib/mailer.ts';

export function inviteMail(to: string, space: string, link: string): Mail {
  const sentence = 'The link works once, for two weeks. If you do not know who sent it, ignore this mail.';
  const name = space.replaceAll(/[\r\n]+/g, ' ');
  return {
    to,
    subject: `You are invited to ${name} on Crescendo`,
    text: `You are invited to the space "${name}" on Crescendo.\n\nJoin: ${link}\n\n${sentence}\n`,
    html:
      '<!doctype html><html lang="en"><body style="font:16px/1.5 system-ui,sans-serif;max-width:30em;margin:2em auto">' +
      `<p>You are invited to the space <strong>${escapeHtml(name)}</strong> on Crescendo.</p>` +
      `<p><a href="${escapeHtml(link)}">Join</a></p><p>${sentence}</p></body></html>`,
  };
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
