/**
 * `npm run bench` measures everything that has a row in the report, prints a table, and writes RESULTS.md.
 * `npm run bench -- api` measures one part and replaces its section. With `--quick` it takes less than two minutes and
 * writes nothing. A study explains a decision of an ADR and has no row: it is run by its name only.
 */
import { benchAccounts } from './accounts.ts';
import { benchApi } from './api/api.ts';
import { benchCaldav } from './caldav.ts';
import { stopServers } from './databases.ts';
import { benchEngine } from './engine/engine.ts';
import { benchFairness } from './fairness.ts';
import { benchFairnessRequests } from './fairness-requests.ts';
import { benchGroupCommit } from './group-commit.ts';
import { benchGrowth } from './growth/growth.ts';
import { benchLive } from './live.ts';
import { benchMcp } from './mcp.ts';
import { benchOverload } from './overload.ts';
import { benchPush } from './push.ts';
import { Report } from './report.ts';
import { IS_QUICK } from './sizes.ts';
import { benchStart } from './start.ts';
import { benchTasks } from './tasks.ts';
import { benchWatch } from './watch.ts';
import { benchWeb } from './web.ts';
import { benchWrites } from './writes.ts';

const PARTS: Readonly<Record<string, (report: Report) => Promise<void>>> = {
  start: benchStart,
  api: benchApi,
  engine: benchEngine,
  growth: (report) => benchGrowth(report, names.length === 1),
  push: benchPush,
  mcp: benchMcp,
  web: benchWeb,
  live: benchLive,
  caldav: benchCaldav,
};

const STUDIES: Readonly<Record<string, () => Promise<void>>> = {
  accounts: benchAccounts,
  fairness: benchFairness,
  'fairness-requests': benchFairnessRequests,
  'group-commit': benchGroupCommit,
  overload: benchOverload,
  tasks: benchTasks,
  watch: benchWatch,
  writes: benchWrites,
};

const names = process.argv.slice(2).filter((name) => !name.startsWith('--'));
for (const name of names) {
  if (PARTS[name] || STUDIES[name]) continue;
  console.error(`There is no benchmark "${name}": ${[...Object.keys(PARTS), ...Object.keys(STUDIES)].join(', ')}.`);
  process.exit(1);
}

/** Twice what the longest part takes. One that hangs must not keep the others from being measured. */
const LONGEST_PART_MS = 1_500_000;
let isStuck = false;

/** Ten million tasks, and some studies, take longer, and nothing waits for a part that runs alone. */
async function withinLimit(work: Promise<void> | undefined): Promise<void> {
  if (names.length > 0) return work;
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    isStuck = true;
    reject(new Error(`It did not end within ${LONGEST_PART_MS / 60_000} minutes.`));
  }, LONGEST_PART_MS);
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

const reports: Report[] = [];
const startedAt = performance.now();
const secondsSince = (moment: number) => Math.round((performance.now() - moment) / 1_000);
for (const name of names.length > 0 ? names : Object.keys(PARTS)) {
  console.log(`\n${name}`);
  const report = new Report(name);
  const partStartedAt = performance.now();
  try {
    await withinLimit(PARTS[name]?.(report) ?? STUDIES[name]?.());
  } catch (error) {
    // The other parts are still measured.
    console.error(error);
    report.skip('the rest of this part', `It failed: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
  console.log(`  took ${secondsSince(partStartedAt)} s`);
  reports.push(report);
  // Written after each part, so that a run that is interrupted keeps what it has measured.
  if (!IS_QUICK) report.write(`npm run bench${names.length > 0 ? ` -- ${name}` : ''}`);
}
for (const report of reports) report.print();
console.log(`\nall of it took ${secondsSince(startedAt)} s`);
// What a part that hangs has opened would keep this process alive. Its children end with their parent.
if (isStuck) {
  await stopServers();
  process.exit();
}
