/**
 * How `/docs` looks and searches: Swagger UI in the colours of the app, light and dark, on phones too. Its own filter
 * finds tags and paths only, so a plugin searches names and summaries as well.
 */
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui';
import { words } from '../lib/words.ts';

interface Entry {
  get(key: string): unknown;
  getIn(keys: readonly string[]): unknown;
}
interface Operations {
  readonly size: number;
  filter(keeps: (operation: Entry) => boolean): Operations;
}
interface Tag extends Entry {
  get(key: string): Operations;
  set(key: string, operations: Operations): Tag;
}
interface Tags {
  map(change: (tag: Tag, name: string) => Tag): Tags;
  filter(keeps: (tag: Tag) => boolean): Tags;
}

/** Runs in the browser: it is sent as text, so it uses nothing from outside of itself. */
function searchOperations(tags: Tags, phrase: string): Tags {
  const wanted = phrase.toLowerCase().split(/\s+/);
  const found = (tag: string, entry: Entry) => {
    const text = [
      tag,
      entry.get('method'),
      entry.get('path'),
      entry.getIn(['operation', 'summary']),
      entry.getIn(['operation', 'operationId']),
    ];
    return wanted.every((word) => text.join(' ').toLowerCase().includes(word));
  };
  return tags
    .map((tag, name) =>
      tag.set(
        'operations',
        tag.get('operations').filter((entry) => found(name, entry)),
      ),
    )
    .filter((tag) => tag.get('operations').size > 0);
}

/** Made from text, because only its source reaches the browser and it must contain the label. */
const searchPlugin = new Function(
  'system',
  `const { createElement } = system.React;
  const label = ${JSON.stringify(words.docsPage.search)};
  const FilterContainer = ({ layoutSelectors, layoutActions }) => {
    const current = layoutSelectors.currentFilter();
    return createElement('div', { className: 'filter wrapper', role: 'search' }, createElement('input', {
      className: 'operation-filter-input', type: 'search', placeholder: label, 'aria-label': label,
      value: typeof current === 'string' ? current : '',
      onChange: (event) => layoutActions.updateFilter(event.target.value),
    }));
  };
  return { fn: { opsFilter: ${searchOperations} }, components: { FilterContainer } };`,
);

/** Swagger UI has dark colours but no way to follow the system, and its page has no viewport and no way back. */
const SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
const viewport = document.createElement('meta');
viewport.name = 'viewport';
viewport.content = 'width=device-width, initial-scale=1';
document.head.append(viewport);
const brand = document.createElement('a');
brand.href = '/';
brand.className = 'brand';
brand.textContent = ${JSON.stringify(words.name)};
document.body.prepend(brand);
`;

const STYLE = `
html, html.dark-mode, body, .swagger-ui, html.dark-mode .swagger-ui { background: light-dark(#f7f3ec, #15120e); }
html { color-scheme: light; } html.dark-mode { color-scheme: dark; }
body { overflow-wrap: anywhere; }
.brand { display: block; max-width: 1460px; margin: 0 auto; padding: 1.25rem 20px 0; box-sizing: border-box; color: light-dark(#221c15, #f2eade); font: 600 1.25rem ui-serif, "Iowan Old Style", Palatino, Georgia, serif; text-decoration: none; }
.brand::after { content: " <"; color: light-dark(#ae3a0a, #ff935f); }
.swagger-ui, .swagger-ui .info p, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description { font-family: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.swagger-ui .info { margin: 1.5rem 0 0; }
.swagger-ui .info .title { font-family: ui-serif, "Iowan Old Style", Palatino, Georgia, serif; }
.swagger-ui .scheme-container, html.dark-mode .swagger-ui .scheme-container { background: none; box-shadow: none; padding: 0.5rem 0; margin: 0; }
.swagger-ui .filter.wrapper { position: sticky; top: 0; z-index: 2; padding-block: 0.5rem; background: light-dark(#f7f3ec, #15120e); }
.swagger-ui .filter .operation-filter-input { width: 100%; max-width: none; box-sizing: border-box; margin: 0; font-size: 1rem; border: 1px solid light-dark(#8d8070, #857968); border-radius: 0.75rem; background: light-dark(#fffdf9, #1e1a15); color: light-dark(#221c15, #f2eade); }
.swagger-ui a:focus-visible, .swagger-ui button:focus-visible, .swagger-ui input:focus-visible { outline: 2.5px solid light-dark(#ae3a0a, #ff935f); outline-offset: 2px; }
.swagger-ui .opblock .opblock-summary-path { max-width: none; word-break: break-word; }
@media (max-width: 40rem) {
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding: 0.25rem 0; }
  .swagger-ui .opblock .opblock-summary, .swagger-ui .opblock .opblock-summary-control { flex-wrap: wrap; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { flex: 1 1 100%; order: 2; padding: 0; }
}
`;

export const DOCS_PAGE: FastifySwaggerUiOptions = {
  routePrefix: '/docs',
  theme: {
    title: words.docsPage.title,
    css: [{ filename: 'crescendo.css', content: STYLE }],
    js: [{ filename: 'crescendo.js', content: SCRIPT }],
    favicon: [],
  },
  uiConfig: {
    layout: 'BaseLayout',
    tryItOutEnabled: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    filter: true,
    plugins: [searchPlugin as never],
  },
};
