import { words } from './words.ts';

/** The HTML part of a mail around its blocks, which are HTML themselves. */
export const mailHtml = (...blocks: readonly string[]): string =>
  `<!doctype html><html lang="${words.language}"><body style="font:16px/1.5 system-ui,sans-serif;max-width:30em;margin:2em auto">` +
  `${blocks.join('')}</body></html>`;

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
