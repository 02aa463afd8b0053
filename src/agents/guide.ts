/** The guide for connecting an agent. Written once as Markdown; what other files know better is filled in from there. */
import { readFile } from 'node:fs/promises';
import { type Access, accessTable } from '../http/access.ts';
import { SCOPES, type Scope } from '../lib/caller.ts';
import { errorCatalogue } from '../lib/errors.ts';
import { TOOLS } from './toolbox.ts';

const ADDRESS = '{{base_url}}';

/** Read when it is first asked for, then kept. */
let source: Promise<string> | undefined;
let page: Promise<string> | undefined;

export async function guideAsMarkdown(address: string): Promise<string> {
  source ??= complete();
  return (await source).replaceAll(ADDRESS, address);
}

/** The guide is our own text, so it is rendered as it is; the address was checked by whoever gives it. */
export async function guideAsHtml(address: string): Promise<string> {
  page ??= render();
  return (await page).replaceAll(ADDRESS, address).replaceAll(encodeURI(ADDRESS), address);
}

async function render(): Promise<string> {
  const { marked } = await import('marked');
  return marked.parse(await guideAsMarkdown(ADDRESS));
}

async function complete(): Promise<string> {
  const text = await readFile(new URL('guide.md', import.meta.url), 'utf8');
  return text
    .replace(
      '{{scopes}}',
      table(
        ['scope', 'allows'],
        SCOPES.map((scope) => [`\`${scope}\``, allowedBy(scope)]),
      ),
    )
    .replace(
      '{{tools}}',
      table(
        ['tool', 'does'],
        TOOLS.map(({ name, description }) => [`\`${name}\``, description]),
      ),
    )
    .replace('{{error_codes}}', table(['code', 'HTTP status', 'meaning'], errorRows()));
}

const allowedBy = (scope: Scope): string =>
  (Object.entries(accessTable) as [string, Access][])
    .filter(([, access]) => access === scope)
    .map(([route]) => `\`${route.replaceAll(/:(\w+)/g, '{$1}')}\``)
    .join(', ');

const errorRows = (): string[][] =>
  Object.entries(errorCatalogue).map(([code, { status, sentence }]) => [`\`${code}\``, String(status), sentence]);

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
