/** Runs the import check on small trees with known violations. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { FOLDERS, rules } from '../../scripts/import-rules.ts';

const PROJECT = join(import.meta.dirname, '../..');

type Tree = Readonly<Record<string, string>>;

interface CheckResult {
  readonly code: number | string;
  readonly output: string;
  /** "file: rule" for each violation. */
  readonly violations: readonly string[];
}

async function check(tree: Tree): Promise<CheckResult> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  try {
    symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    for (const [path, content] of Object.entries(tree)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return await runChecker(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runChecker(folder: string): Promise<CheckResult> {
  const finished = Promise.withResolvers<CheckResult>();
  execFile(process.execPath, [join(PROJECT, 'scripts/check-imports.ts')], { cwd: folder }, (error, stdout, stderr) => {
    const violations = [...stderr.matchAll(/^(\S+) → \S+\n {2}([a-z-]+): /gm)].map(
      ([, file, rule]) => `${file}: ${rule}`,
    );
    finished.resolve({ code: error ? (error.code ?? 'killed') : 0, output: stdout + stderr, violations });
  });
  return finished.promise;
}

/** A chain of modules, each importing the one before: enough imports for the checker to trust what it read. */
const chain: Tree = Object.fromEntries(
  Array.from({ length: 24 }, (_, index) => {
    const before = index === 0 ? '' : `import { link${index - 1} } from './link-${index - 1}.ts';\n`;
    return [
      `src/lib/link-${index}.ts`,
      `${before}export const link${index} = ${index === 0 ? 0 : `link${index - 1}`};\n`,
    ];
  }),
);

const legal: Tree = {
  ...chain,
  'package.json': JSON.stringify({
    dependencies: { '@fastify/swagger': '*', fastify: '*', kysely: '*', pg: '*' },
    devDependencies: { 'fast-check': '*' },
  }),
  'test/support/test-app.ts': 'export const app = 1;\n',
  'src/lib/clock.test.ts':
    "import { app } from '../../test/support/test-app.ts';\nimport '../db/open.ts';\nvoid app;\n",
  'src/db/open.ts': "import { Kysely } from 'kysely';\nimport '../lib/link-0.ts';\nexport const db = Kysely;\n",
  'src/http/app.ts': "import Fastify from 'fastify';\nexport const app = Fastify;\n",
  'src/engine/sweep.ts': "import '../db/open.ts';\nexport const sweep = 1;\n",
  'src/cli/doctor/doctor.ts': "import '../../db/open.ts';\nimport '../../compose/service.ts';\n",
  'src/main.ts': "import './cli/doctor/doctor.ts';\n",
  'src/compose/service.ts': "import '../engine/sweep.ts';\nimport '../tasks/tasks.routes.ts';\n",
  'src/tasks/tasks.store.ts': "import '../db/open.ts';\nexport class TasksStore {}\n",
  'src/tasks/tasks.service.ts': "import './tasks.store.ts';\nexport class TasksService {}\n",
  'src/admin/admin.service.ts':
    "import type { TasksService } from '../tasks/tasks.service.ts';\nexport const of = (tasks: TasksService) => tasks;\n",
  'src/tasks/tasks.routes.ts':
    "import type { FastifyInstance } from 'fastify';\nimport '../http/app.ts';\nimport './tasks.service.ts';\n" +
    'export type App = FastifyInstance;\n',
  'src/words/read-rule.ts': 'export const readRule = 1;\n',
  'web/src/quick-add/quick-add.ts': "import '../../../src/words/read-rule.ts';\n",
  'src/escalation/ladder.ts':
    "import '../lib/link-0.ts';\nimport type { db } from '../db/open.ts';\nexport type Db = typeof db;\n",
};

/** What is wrong, the file that does it, the rule it breaks, and its content. */
const planted: readonly [guarantee: string, file: string, rule: string, content: string][] = [
  ['a cycle', 'src/tasks/circle-a.ts', 'no-cycles', "import './circle-b.ts';\n"],
  [
    'a cycle of types',
    'src/tasks/types-a.ts',
    'no-cycles',
    "import type { B } from './types-b.ts';\nexport type A = B[];\n",
  ],
  ['an import that does not resolve', 'src/tasks/lost.ts', 'no-missing', "import './nowhere.ts';\n"],
  ['lib importing db', 'src/lib/reach.ts', 'src-lib', "export { db } from '../db/open.ts';\n"],
  [
    'lib importing a type of db',
    'src/lib/reach-type.ts',
    'src-lib',
    "import type { db } from '../db/open.ts';\nexport type Db = typeof db;\n",
  ],
  [
    'db importing a noun behind an await',
    'src/db/late.ts',
    'src-db',
    "export const late = async () => (await import('../tasks/tasks.store.ts')).TasksStore;\n",
  ],
  ['http importing a noun', 'src/http/noun.ts', 'src-http', "import '../tasks/tasks.store.ts';\n"],
  ['push importing a noun', 'src/push/noun.ts', 'src-push', "import '../tasks/tasks.store.ts';\n"],
  ['tasks importing the engine', 'src/tasks/eager.ts', 'src-tasks', "import '../engine/sweep.ts';\n"],
  ['accounts importing sign-in', 'src/accounts/upward.ts', 'src-accounts', "import '../sign-in/sessions.ts';\n"],
  [
    'a noun importing its monitoring',
    'src/spaces/watched.ts',
    'src-spaces',
    "import type { Outbox } from '../watch/outbox-monitor.ts';\nexport type Seen = Outbox;\n",
  ],
  ['a folder that is not in the table', 'src/extras/new.ts', 'known-folders', "import '../lib/link-0.ts';\n"],
  ['the start importing the command line', 'src/start.ts', 'cli-is-the-top', "import './cli/doctor/doctor.ts';\n"],
  ['a pure decision reading the database', 'src/billing/entitlement.ts', 'pure-files', "import '../db/open.ts';\n"],
  ['a pure file doing I/O', 'src/escalation/io.ts', 'pure-files', "import 'node:fs';\n"],
  ['a store importing a service', 'src/tasks/proud.store.ts', 'stores', "import './tasks.service.ts';\n"],
  ['a service importing http', 'src/tasks/web.service.ts', 'services-know-no-http', "import '../http/app.ts';\n"],
  [
    "a service importing another folder's store",
    'src/admin/nosy.service.ts',
    'services-stay-in-their-folder',
    "import '../tasks/tasks.store.ts';\n",
  ],
  [
    'a service importing Fastify',
    'src/tasks/fast.service.ts',
    'fastify',
    "import Fastify from 'fastify';\nvoid Fastify;\n",
  ],
  ['a service importing a plugin of Fastify', 'src/tasks/plugin.service.ts', 'fastify', "import '@fastify/swagger';\n"],
  ['a routes file importing Kysely', 'src/tasks/sql.routes.ts', 'routes', "import { sql } from 'kysely';\nvoid sql;\n"],
  ['a routes file importing pg', 'src/tasks/pg.routes.ts', 'routes', "import 'pg';\n"],
  ['agents importing a service', 'src/agents/tools.ts', 'agents-use-the-api', "import '../tasks/tasks.service.ts';\n"],
  ['the archive importing the iCalendar library', 'src/archive/dates.ts', 'ical', "import 'ical.js';\n"],
  [
    'compose loading the tracing at once',
    'src/compose/watch.ts',
    'metrics-load-late',
    "import '../watch/tracing.ts';\n",
  ],
  [
    'sign-in loading the library for passkeys at once',
    'src/sign-in/early.ts',
    'webauthn-loads-late',
    "import '@simplewebauthn/server';\n",
  ],
  [
    'a service importing OpenTelemetry',
    'src/tasks/traced.service.ts',
    'opentelemetry',
    "import '@opentelemetry/api';\n",
  ],
  ['production code importing test code', 'src/tasks/fake.ts', 'no-test-code', "import './fake.test.ts';\n"],
  [
    'production code importing a development dependency',
    'src/tasks/dev.ts',
    'dependencies',
    "export const late = async () => import('fast-check');\n",
  ],
  ['a junk drawer', 'src/tasks/drawer.ts', 'no-junk-drawers', "import './utils.ts';\n"],
  [
    'the web app importing the service',
    'web/src/api/own.ts',
    'web-is-separate',
    "import '../../../src/lib/link-0.ts';\n",
  ],
  [
    'the ladder of the web app importing tasks',
    'web/src/ladder/row.ts',
    'web-ladder',
    "import '../tasks/task-row.ts';\n",
  ],
];

/** The other ends of the planted imports; nothing is wrong with these files. */
const others: Tree = {
  'src/tasks/circle-b.ts': "import './circle-a.ts';\n",
  'src/tasks/types-b.ts': "import type { A } from './types-a.ts';\nexport type B = A[];\n",
  'src/tasks/utils.ts': 'export const anything = 1;\n',
  'src/tasks/fake.test.ts': 'export const fake = 1;\n',
  'src/sign-in/sessions.ts': 'export const sessions = 1;\n',
  'src/watch/outbox-monitor.ts': 'export interface Outbox {}\n',
  'src/watch/tracing.ts': 'export const tracing = 1;\n',
  'web/src/tasks/task-row.ts': 'export const row = 1;\n',
};

describe('the import check', { concurrency: 2 }, () => {
  test('passes a tree in which everything is in its place', async () => {
    const { code, output } = await check(legal);
    assert.equal(code, 0, output);
    assert.match(output, /^\d+ modules, 0 forbidden imports\n$/);
  });

  describe('reports', () => {
    let result: CheckResult;
    before(async () => {
      const wrong = Object.fromEntries(planted.map(([, file, , content]) => [file, content]));
      result = await check({ ...legal, ...others, ...wrong });
    });

    for (const [guarantee, file, rule] of planted) {
      test(guarantee, () => {
        assert.equal(result.code, 1, result.output);
        assert.ok(result.violations.includes(`${file}: ${rule}`), result.output);
      });
    }

    test('nothing that is in its place', () => {
      const expected = planted.map(([, file, rule]) => `${file}: ${rule}`);
      assert.deepEqual(result.violations.toSorted(), expected.toSorted());
    });
  });

  test('has no rule that no test violates; the rules of all folders are built alike', () => {
    const proven = new Set(planted.map(([, , rule]) => rule));
    const folderRule = /^(src|web)-/;
    const unproven = rules.map(({ name = '' }) => name).filter((name) => !proven.has(name) && !folderRule.test(name));
    assert.deepEqual(unproven, []);
  });

  test('is what ARCHITECTURE.md shows', () => {
    const document = readFileSync(join(PROJECT, 'ARCHITECTURE.md'), 'utf8');
    for (const [folder, allowed] of Object.entries(FOLDERS)) {
      const row = new RegExp(`^\\| \`${folder}\` +\\|.*\\| ([^|]*?) +\\|$`, 'm').exec(document);
      const shown = row?.[1] === '–' ? [] : (row?.[1]?.split(', ') ?? ['no row']);
      assert.deepEqual(shown, allowed, folder);
    }
  });

  const unreadable: [string, Tree][] = [
    ['without any module', { 'src/readme.md': 'Nothing here.\n' }],
    [
      'in which no import can be read',
      Object.fromEntries(Object.keys(chain).map((file) => [file, 'export const link = 1;\n'])),
    ],
  ];
  for (const [situation, tree] of unreadable) {
    test(`does not pass a tree ${situation}`, async () => {
      const { code, output } = await check(tree);
      assert.equal(code, 1);
      assert.match(output, /read \d+ modules/);
    });
  }
});
