/**
 * Who may import whom. Each rule is a sentence of ARCHITECTURE.md's import table; `check-imports.ts`
 * enforces them and fails the build.
 */
import type { IRegularForbiddenRuleType as Rule } from 'dependency-cruiser';

const NOUNS = '(accounts|tasks|spaces|devices|billing|archive|calendar)';
const PURE_FILES = [
  'escalation/',
  'accounts/(pause|plan|sealed-contexts|session-lifetime|key-judgement)',
  'billing/(billing-event|customers|standing|entitlement)',
  'spaces/visibility',
  String.raw`tasks/(task-state|task-edit|due|recurrence|occurrences|calendar-days|rule-|signed-positions|statistics\.ts)`,
  String.raw`tasks/(plan-task|timeline)\.ts`,
  'engine/(fire|shipment|judgement|retry-policy)',
  'push/(gateway|wording|bounds|test-wording)',
  'push/[^/]+/([a-z-]*payload|classify)',
  'http/(unstorable|access)',
  'cli/move/(row-form|copy-order|table-sum)',
  'calendar/(feed-rule|feed-zone|windows-zones|text-length|unreadable-todo)',
  'archive/(json-bounds|story)',
];
const PURE = `^src/(${PURE_FILES.join('|')})`;
const TEST = String.raw`\.test\.ts$`;

const forbid = (name: string, comment: string, from: Rule['from'], to: Rule['to']): Rule => ({
  name,
  comment,
  severity: 'error',
  from,
  to,
});

export const rules: Rule[] = [
  forbid('no-cycles', 'Two files that need each other are one file, or hide a third.', {}, { circular: true }),
  forbid('no-missing', 'Every import resolves.', {}, { couldNotResolve: true }),
  forbid(
    'lib-is-the-floor',
    'lib imports nothing of ours.',
    { path: '^src/lib/', pathNot: TEST },
    { path: '^src/(?!lib/)' },
  ),
  forbid(
    'pure-files-stay-pure',
    'A pure file imports only pure files and lib: no database, no framework, no I/O.',
    { path: PURE, pathNot: TEST },
    { pathNot: [PURE, '^src/lib/'], dependencyTypesNot: ['type-only'] },
  ),
  forbid(
    'db-knows-no-noun',
    'db imports only itself and lib.',
    { path: '^src/db/', pathNot: TEST },
    { path: '^src/(?!db/|lib/)' },
  ),
  forbid(
    'http-knows-no-noun',
    'http imports only itself and lib; routes are handed to it.',
    { path: '^src/http/', pathNot: TEST },
    { path: '^src/(?!http/|lib/)' },
  ),
  forbid(
    'stores-speak-sql-only',
    'A store imports db, lib and pure files.',
    { path: String.raw`^src/.*\.store\.ts$` },
    { path: '^src/(?!db/|lib/)', pathNot: PURE },
  ),
  forbid(
    'services-know-no-http',
    'A service imports its own store and pure files; other services arrive as arguments.',
    { path: String.raw`^src/${NOUNS}/.*\.service\.ts$` },
    { path: String.raw`^src/(http|engine|agents)/|\.routes\.ts$` },
  ),
  forbid(
    'services-do-not-reach-across',
    "Another noun's service or store arrives as a constructor argument.",
    { path: String.raw`^src/${NOUNS}/.*\.service\.ts$` },
    {
      path: String.raw`^src/${NOUNS}/.*\.(service|store)\.ts$`,
      pathNot: '^src/$1/',
      dependencyTypesNot: ['type-only'],
    },
  ),
  forbid(
    'routes-know-their-service',
    'A route file imports its own service and schemas, http and lib; never SQL.',
    { path: String.raw`^src/.*\.routes\.ts$` },
    { path: String.raw`^src/(db|engine|push)/|\.store\.ts$|node_modules/(kysely|pg)/` },
  ),
  forbid(
    'fastify-stays-outside',
    'Only http, agents and route files know Fastify.',
    { path: '^src/', pathNot: String.raw`^src/(http|agents)/|\.routes\.ts$` },
    { path: 'node_modules/(@fastify|fastify)/' },
  ),
  forbid(
    'push-is-handed-its-work',
    'push imports only itself and lib.',
    { path: '^src/push/', pathNot: TEST },
    { path: '^src/(?!push/|lib/)' },
  ),
  forbid(
    'only-compose-starts-the-engine',
    'The engine is started in one place.',
    { path: String.raw`^src/(?!engine/|compose\.ts)` },
    { path: '^src/engine/' },
  ),
  forbid(
    'the-engine-knows-tables-and-rules',
    'engine imports db, lib, pure files and the push interface; no service, no HTTP.',
    { path: '^src/engine/', pathNot: TEST },
    { path: '^src/(?!engine/|db/|lib/)', pathNot: PURE },
  ),
  forbid(
    'agents-go-through-the-api',
    'agents calls the API in-process, never a service or a table.',
    { path: '^src/agents/' },
    { path: String.raw`^src/(db|engine|push)/|\.(service|store)\.ts$` },
  ),
  forbid(
    'nobody-calls-the-command-line',
    'Only the entry points know the command line; what it needs of the service it is handed by the wiring.',
    { path: String.raw`^src/(?!cli/|main\.ts|explain\.ts)`, pathNot: TEST },
    { path: '^src/cli/' },
  ),
  forbid(
    'calendars-are-read-and-written-in-one-place',
    'Only calendar knows the iCalendar library.',
    { path: '^(src|web)/', pathNot: '^src/calendar/' },
    { path: String.raw`node_modules/ical\.js/` },
  ),
  forbid(
    'nobody-knows-who-watches',
    'watch is handed what it looks at; what is looked at tells its figures through interfaces of its own.',
    { path: String.raw`^src/(?!watch/|compose-watch\.ts)` },
    { path: '^src/watch/' },
  ),
  forbid(
    'watch-looks-from-outside',
    'watch imports db, http, lib and the push interface; no service, no engine.',
    { path: '^src/watch/', pathNot: TEST },
    { path: '^src/(?!watch/|db/|http/|lib/)', pathNot: PURE },
  ),
  forbid(
    'what-few-want-is-loaded-late',
    'Metrics and tracing bring large libraries: their files are imported where a setting asks for them.',
    { path: '^src/(?!watch/)' },
    { path: '^src/watch/(metrics|tracing)\\.ts$', dynamic: false, dependencyTypesNot: ['type-only'] },
  ),
  forbid(
    'opentelemetry-stays-in-tracing',
    'Only what is loaded late knows the libraries behind metrics and traces.',
    { path: String.raw`^src/(?!watch/(tracing|sampler|metrics|[a-z]+-metrics)\.ts)`, pathNot: TEST },
    { path: 'node_modules/(@opentelemetry|prom-client)/' },
  ),
  forbid('the-app-stands-alone', 'The web app never imports server code.', { path: '^web/' }, { path: '^src/' }),
  forbid(
    'no-test-code-in-the-service',
    'What runs in production imports nothing that exists for tests.',
    { path: '^src/', pathNot: TEST },
    { path: String.raw`^(test|bench|scripts)/|\.test\.ts$` },
  ),
  forbid(
    'ships-with-what-it-needs',
    'What runs in production is a dependency and not only there for development.',
    { path: '^src/', pathNot: TEST },
    { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  ),
  forbid(
    'no-junk-drawers',
    'A file is named for what it does.',
    {},
    { path: String.raw`(^|/)(utils?|helpers?|common|misc|manager|base)(\.ts$|/)`, pathNot: 'node_modules' },
  ),
];
