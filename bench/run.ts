/** `npm run bench` runs all benchmarks, `npm run bench -- group-commit` one. Compare figures only within a run. */
import { benchAccounts } from './accounts.ts';
import { benchEngine } from './engine.ts';
import { benchFairness } from './fairness.ts';
import { benchFairnessRequests } from './fairness-requests.ts';
import { benchGroupCommit } from './group-commit.ts';
import { benchMcp } from './mcp.ts';
import { benchOverload } from './overload.ts';
import { benchPush } from './push.ts';
import { benchTasks } from './tasks.ts';
import { benchWatch } from './watch.ts';
import { benchWeb } from './web.ts';
import { benchWrites } from './writes.ts';

const benchmarks: Readonly<Record<string, () => Promise<void>>> = {
  accounts: benchAccounts,
  engine: benchEngine,
  fairness: benchFairness,
  'fairness-requests': benchFairnessRequests,
  'group-commit': benchGroupCommit,
  mcp: benchMcp,
  overload: benchOverload,
  push: benchPush,
  tasks: benchTasks,
  watch: benchWatch,
  web: benchWeb,
  writes: benchWrites,
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(benchmarks);
for (const name of names) {
  const bench = benchmarks[name];
  if (!bench) throw new Error(`There is no benchmark "${name}": ${Object.keys(benchmarks).join(', ')}.`);
  await bench();
}
