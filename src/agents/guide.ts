/** The guide for connecting an agent: `guide.md`, with its tables generated from the code that defines their contents. */
import { readFile } from 'node:fs/promises';
import { type Access, accessTable } from '../http/access.ts';
import { SCOPES, type Scope } from '../lib/caller.ts';
import { errorCatalogue } from '../lib/errors.ts';
import { TOOLS } from './tools.ts';

const ADDRESS = '{{base_url}}';

/** Read on the first request, then cached. */
let source: Promise<string> | undefined;
let page: Promise<string> | undefined;

export async function guideAsMarkdown(address: string): Promise<string> {
  source ??= fillIn();
  return (await source).replaceAll(ADDRESS, address);
}

/** Not sanitised: the guide is our own text, and `baseUrlOfRequest` validates the address. */
export async function guideAsHtml(address: string): Promise<string> {
  page ??= render();
  return (await page).replaceAll(ADDRESS, address).replaceAll(encodeURI(ADDRESS), address);
}

async function render(): Promise<string> {
  const { marked } = await import('marked');
  return marked.parse(await guideAsMarkdown(ADDRESS));
}

async function fillIn(): Promise<string> {
  const text = await readFile(new URL('guide.md', import.meta.url), 'utf8');
  return text
    .replace(
      '{{scopes}}',
      markdownTable(
        ['scope', 'allows'],
        SCOPES.map((scope) => [`\`${scope}\``, routesOf(scope)]),
      ),
    )
    .replace(
      '{{tools}}',
      markdownTable(
        ['tool', 'does'],
        TOOLS['/mcp/all'].map(({ name, description }) => [`\`${name}\``, description]),
      ),
    )
    .replace('{{error_codes}}', markdownTable(['code', 'HTTP status', 'meaning'], errorRows()));
}

const routesOf = (scope: Scope): string =>
  (Object.entries(accessTable) as [string, Access][])
    .filter(([, access]) => access === scope)
    .map(([route]) => `\`${route.replaceAll(/:(\w+)/g, '{$1}')}\``)
    .join(', ');

const errorRows = (): string[][] =>
  Object.entries(errorCatalogue).map(([code, { status, sentence }]) => [`\`${code}\``, String(status), sentence]);

const markdownTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
