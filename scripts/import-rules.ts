/**
 * Who may import whom. ARCHITECTURE.md shows the table of folders (a test keeps the two equal);
 * `check-imports.ts` enforces it and fails the build.
 */
import type { IRegularForbiddenRuleType as Rule } from 'dependency-cruiser';

/** The folders of `src`, from the bottom up. A folder imports only from the folders named behind it. */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  words: [],
  outbound: ['lib'],
  db: ['lib'],
  limits: ['db', 'lib'],
  http: ['lib', 'limits'],
  keys: ['db', 'lib'],
  'follow-ups': ['db', 'lib'],
  recurrence: ['lib', 'words'],
  escalation: ['db', 'lib'],
  push: ['keys', 'lib', 'outbound'],
  accounts: ['db', 'escalation', 'follow-ups', 'http', 'lib'],
  'sign-in': ['accounts', 'db', 'http', 'keys', 'lib', 'limits'],
  connections: ['accounts', 'db', 'http', 'keys', 'lib', 'outbound'],
  ladders: ['accounts', 'db', 'escalation', 'http', 'lib'],
  idempotency: ['db', 'http', 'keys', 'lib'],
  spaces: ['db', 'follow-ups', 'http', 'lib'],
  tasks: ['db', 'escalation', 'follow-ups', 'http', 'lib', 'push', 'recurrence', 'words'],
  deliveries: ['db', 'escalation', 'http', 'lib', 'push', 'tasks'],
  devices: ['db', 'http', 'lib', 'push'],
  channels: ['db', 'deliveries', 'escalation', 'http', 'keys', 'lib', 'push'],
  billing: ['accounts', 'db', 'http', 'keys', 'lib'],
  calendar: ['db', 'http', 'lib', 'recurrence', 'tasks'],
  caldav: ['calendar', 'db', 'http', 'lib', 'tasks'],
  archive: ['calendar', 'db', 'escalation', 'follow-ups', 'http', 'lib', 'recurrence', 'tasks', 'words'],
  agents: ['http', 'lib', 'recurrence', 'tasks', 'words'],
  admin: ['accounts', 'db', 'http', 'keys', 'lib', 'limits', 'sign-in', 'tasks'],
  understudies: ['db', 'escalation', 'http', 'lib', 'push'],
  outages: ['db', 'http', 'lib'],
  engine: ['db', 'deliveries', 'escalation', 'follow-ups', 'lib', 'limits', 'outages', 'push', 'tasks', 'understudies'],
  live: ['db', 'http', 'lib'],
  watch: ['db', 'http', 'lib', 'push'],
};

/** The folders of the web app, each of which may import `src/words` too. */
export const WEB_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  api: [],
  time: ['api'],
  data: ['api', 'time'],
  ui: ['api', 'data'],
  recurrence: ['time'],
  ladder: ['api', 'data', 'time', 'ui'],
  find: ['api', 'data', 'recurrence', 'time', 'ui'],
  ladders: ['api', 'data', 'find', 'ladder', 'time', 'ui'],
  'stand-ins': ['api', 'data', 'find', 'time', 'ui'],
  holds: ['api', 'data', 'time', 'ui'],
  'quick-add': ['api', 'data', 'holds', 'recurrence', 'time', 'ui'],
  claim: ['api', 'data', 'ui'],
  'first-run': ['api', 'claim', 'data', 'ladder', 'quick-add', 'time', 'ui'],
  tasks: [
    'api',
    'data',
    'find',
    'first-run',
    'holds',
    'ladder',
    'ladders',
    'quick-add',
    'recurrence',
    'stand-ins',
    'time',
    'ui',
  ],
  spaces: ['api', 'data', 'ladder', 'quick-add', 'time', 'ui'],
  history: ['api', 'data', 'time', 'ui'],
  passkeys: ['api', 'data', 'ui'],
  'move-in': ['api', 'data', 'ladders', 'time', 'ui'],
  settings: ['api', 'claim', 'data', 'ladders', 'move-in', 'passkeys', 'stand-ins', 'time', 'ui'],
  nudges: ['api', 'data', 'ladder', 'tasks', 'time', 'ui'],
  channels: ['api', 'data', 'nudges', 'time', 'ui'],
  admin: ['api', 'data', 'time', 'ui'],
  connect: ['api', 'data', 'time', 'ui'],
  'sign-in': ['api', 'data', 'passkeys', 'ui'],
  shell: ['api', 'data', 'find', 'nudges', 'sign-in', 'stand-ins', 'time', 'ui'],
  worker: ['api', 'data'],
};

/** Files that decide something and do no I/O, beside the folders `escalation`, `recurrence` and `words`. */
const PURE_FILES = [
  'escalation/',
  'recurrence/',
  'words/',
  'accounts/(pause|plan)',
  String.raw`sign-in/admission\.ts`,
  'admin/administrators',
  'keys/sealed-contexts',
  'billing/(billing-event|purchase-access|entitlement)',
  'idempotency/answer-limits',
  String.raw`tasks/(task-state|task-edit|task-input|due|overdue|plan-task|token-limits|visibility|requests/request-messages)\.ts`,
  String.raw`tasks/timeline/(timeline|changes)\.ts`,
  String.raw`ladders/archived-ladders\.ts`,
  String.raw`tasks/ladder/(fit-ladder|heads-ups)\.ts`,
  String.raw`tasks/stand-ins/stand-ins\.ts`,
  String.raw`tasks/agenda/(agenda-entries|later-occurrences)\.ts`,
  String.raw`caldav/(content-lines|dav-refusal|paths|planned-change|sync-token|todo-fields|xml-writer)\.ts`,
  'engine/fire',
  String.raw`deliveries/(plan-channels|reach\.ts|outgoing-push|delivery-result|retry-policy)`,
  'limits/(delivery-budget|limit-table|turns)',
  'push/(gateway|push-text|request-text|payload-limits|channel-(provider|message|answer))',
  'push/[^/]+/([a-z-]*payload|classify|sms-caps|sms-segments)',
  'connections/(redirect-uri|client-metadata|authorization-request|oauth-error)',
  'channels/(act-page|problem-text|working-channel|channel-columns)',
  'http/(unsafe-input|json-bounds|access)',
  'cli/move/canonical-row',
  'lib/(back-off|session-lifetime)',
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

/** A folder that imports another one which the table does not allow. */
const folderRules = (root: string, table: typeof FOLDERS): Rule[] =>
  Object.entries(table).map(([folder, allowed]) =>
    forbid(
      `${root.split('/')[0]}-${folder}`,
      `${folder} imports only ${allowed.length === 0 ? 'itself' : allowed.join(', ')}.`,
      { path: `^${root}/${folder}/`, pathNot: TEST },
      {
        path: `^${root}/(?!${[folder, ...allowed].map((name) => `${name}/`).join('|')})`,
        pathNot: '/((screen|claim)-)?strings.ts$',
      },
    ),
  );

export const rules: Rule[] = [
  forbid('no-cycles', 'Two files that import each other are one file, or need a third.', {}, { circular: true }),
  forbid('no-missing', 'Every import resolves.', {}, { couldNotResolve: true }),
  ...folderRules('src', FOLDERS),
  ...folderRules('web/src', WEB_FOLDERS),
  forbid(
    'known-folders',
    'Every folder of src is in the table of folders, or wires the others: compose and cli.',
    { path: `^src/(?!(${[...Object.keys(FOLDERS), 'compose', 'cli'].join('|')})/)[^/]+/` },
    {},
  ),
  forbid(
    'cli-is-the-top',
    'Only the entry point imports the command line.',
    { path: String.raw`^src/(?!cli/|main\.ts)`, pathNot: TEST },
    { path: '^src/cli/' },
  ),
  forbid(
    'pure-files',
    'A pure file imports only pure files and lib: no database, no framework, no I/O.',
    { path: PURE, pathNot: TEST },
    { pathNot: [PURE, '^src/lib/'], dependencyTypesNot: ['type-only'] },
  ),
  forbid(
    'stores',
    'A store imports db, lib, pure files, and parts of statements that stores share (*.sql.ts).',
    { path: String.raw`^src/.*\.store\.ts$` },
    { path: '^src/(?!db/|lib/)', pathNot: [PURE, '^src/keys/(vault|sealed)', String.raw`\.sql\.ts$`] },
  ),
  forbid(
    'services-know-no-http',
    'A service imports no HTTP code.',
    { path: String.raw`^src/.*\.service\.ts$` },
    { path: String.raw`^src/http/|\.routes\.ts$` },
  ),
  forbid(
    'services-stay-in-their-folder',
    'A service or store of another folder arrives as a constructor argument. Sign-in may use the users of accounts and the keys of limits.',
    { path: String.raw`^src/([^/]+)/.*\.service\.ts$`, pathNot: '^src/cli/' },
    {
      path: String.raw`\.(service|store)\.ts$`,
      pathNot: ['^src/$1/', String.raw`^src/(accounts/users|limits/expiring-keys)\.store\.ts$`],
      dependencyTypesNot: ['type-only'],
    },
  ),
  forbid(
    'routes',
    'A routes file imports its own service and schemas, http and lib; never SQL.',
    { path: String.raw`^src/.*\.routes\.ts$` },
    { path: String.raw`^src/(db|engine|push)/|\.store\.ts$|node_modules/(kysely|pg)/` },
  ),
  forbid(
    'fastify',
    'Only http, agents, the idempotency hooks and routes files import Fastify.',
    { path: '^src/', pathNot: String.raw`^src/(http|agents|idempotency)/|\.routes\.ts$` },
    { path: 'node_modules/(@fastify|fastify)/' },
  ),
  forbid(
    'agents-use-the-api',
    'agents calls the API in-process; of tasks it imports the schemas only.',
    { path: '^src/agents/' },
    { path: '^src/tasks/', pathNot: String.raw`\.schemas\.ts$` },
  ),
  forbid(
    'ical',
    'Only calendar and caldav import the iCalendar library.',
    { path: '^(src|web)/', pathNot: '^src/(calendar|caldav)/' },
    { path: String.raw`node_modules/ical\.js/` },
  ),
  forbid(
    'metrics-load-late',
    'Metrics and tracing need large libraries: their files are imported only where a setting asks for them.',
    { path: '^src/(?!watch/)' },
    { path: '^src/watch/(metrics|tracing)\\.ts$', dynamic: false, dependencyTypesNot: ['type-only'] },
  ),
  forbid(
    'webauthn-loads-late',
    'The library behind passkeys is large: it is imported with the first proof.',
    { path: '^src/' },
    { path: 'node_modules/@simplewebauthn/', dynamic: false, dependencyTypesNot: ['type-only'] },
  ),
  forbid(
    'opentelemetry',
    'Only files that are loaded late import the libraries behind metrics and traces.',
    { path: String.raw`^src/(?!watch/(tracing|metrics|[a-z]+-metrics)\.ts)`, pathNot: TEST },
    { path: 'node_modules/(@opentelemetry|prom-client)/' },
  ),
  forbid(
    'web-is-separate',
    'Of the service the web app imports only words, which runs in browsers and imports nothing.',
    { path: '^web/', pathNot: TEST },
    { path: '^src/(?!words/)' },
  ),
  forbid(
    'no-test-code',
    'Production code imports nothing that exists for tests.',
    { path: '^src/', pathNot: TEST },
    { path: String.raw`^(test|bench|scripts)/|\.test\.ts$` },
  ),
  forbid(
    'dependencies',
    'Production code imports no development dependency.',
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
