/** The guide for connecting an agent: `guide.md`, with its tables generated from the code that defines their contents. */
import { readFile } from 'node:fs/promises';
import { type Access, accessTable } from '../http/access.ts';
import { SCOPES, type Scope } from '../lib/caller.ts';
import { errorCatalogue } from '../lib/errors.ts';
import { TOOLS } from './tools.ts';

const ADDRESS = '{{base_url}}';

/** Filled in for each address under which the service is reached. */
const PLACEHOLDERS: readonly [name: string, value: (address: string) => string][] = [
  [ADDRESS, (address) => address],
  ['{{cursor_link}}', cursorLink],
  ['{{vscode_link}}', vscodeLink],
];

/** Read on the first request, then cached. */
let source: Promise<string> | undefined;
let page: Promise<string> | undefined;

export async function guideAsMarkdown(address: string): Promise<string> {
  source ??= fillIn();
  return fillAddress(await source, address);
}

/** Not sanitised: the guide is our own text, and `baseUrlOfRequest` validates the address. */
export async function guideAsHtml(address: string): Promise<string> {
  page ??= render();
  return fillAddress(await page, address);
}

const fillAddress = (text: string, address: string): string =>
  PLACEHOLDERS.reduce(
    (filled, [name, value]) => filled.replaceAll(name, value(address)).replaceAll(encodeURI(name), value(address)),
    text,
  );

/** https://cursor.com/docs/mcp/install-links */
function cursorLink(address: string): string {
  const config = { url: `${address}/mcp/all`, headers: { Authorization: 'Bearer pk_…' } };
  const encoded = Buffer.from(JSON.stringify(config)).toString('base64');
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=crescendo&config=${encodeURIComponent(encoded)}`;
}

/** https://code.visualstudio.com/api/extension-guides/ai/mcp */
function vscodeLink(address: string): string {
  const input = { type: 'promptString', id: 'crescendo', description: 'Crescendo access token', password: true };
  const headers = { Authorization: `Bearer \${input:${input.id}}` };
  const config = { name: 'crescendo', type: 'http', url: `${address}/mcp/all`, headers, inputs: [input] };
  return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(config))}`;
}

async function render(): Promise<string> {
  const { marked } = await import('marked');
  source ??= fillIn();
  return marked.parse(await source);
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
