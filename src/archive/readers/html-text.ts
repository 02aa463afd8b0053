/** Turns the HTML of a description into plain text: paragraphs and list items are lines, links keep their address. */

const LONGEST_HTML = 200_000;
/** Behind its bracket. Another bracket is one that somebody wrote. */
const IS_TAG = /^[a-z/!?]/i;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** A text without tags is returned as it is. Takes time in proportion to the length. */
export function htmlToText(html: string): string {
  if (!/<[a-z/!]/i.test(html)) return html;
  const [start = '', ...parts] = html.slice(0, LONGEST_HTML).split('<');
  let [text, href] = [start, ''];
  for (const part of parts) {
    const end = part.indexOf('>');
    if (end === -1 || !IS_TAG.test(part)) {
      text += `<${part}`;
      continue;
    }
    const tag = part.slice(0, end);
    const name = /^\/?([a-z0-9]+)/i.exec(tag)?.[0].toLowerCase() ?? '';
    if (name === 'a') href = /href="([^"]{1,2000})"/i.exec(tag)?.[1] ?? '';
    if (name === '/a' && href !== '' && !text.endsWith(href)) text += ` (${href})`;
    text += breakOf(name) + part.slice(end + 1);
  }
  return decode(text)
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

function breakOf(tag: string): string {
  if (tag === 'li') return '\n- ';
  if (tag === 'br' || /^\/(?:p|div|h\d|ul|ol|tr|blockquote)$/.test(tag)) return '\n';
  return '';
}

const decode = (text: string): string =>
  text.replaceAll(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
