/**
 * `npm run bench` measures everything that has a target, prints a table, and writes RESULTS.md. `npm run bench -- api`
 * measures one part, and `--quick` takes less than two minutes and writes nothing. The parts below `STUDIES` explain a
 * decision of an ADR and have no row in the table: each is run by its name.
 */
import { benchApi } from './api/api.ts';
import { benchEngine } from './engine/engine.ts';
import { benchGrowth } from './growth/growth.ts';
import { benchMcp } from './mcp.ts';
import { benchPush } from './push.ts';
import { Report } from './report.ts';
import { IS_QUICK } from './sizes.ts';
import { benchStart } from './start.ts';
import { benchWeb } from './web.ts';

const PARTS: Readonly<Record<string, (report: Report) => Promise<void>>> = {
  api: benchApi,
  engine: benchEngine,
  growth: (report) => benchGrowth(report, names.length === 1),
  mcp: benchMcp,
  push: benchPush,
  start: benchStart,
  web: benchWeb,
};
const names = process.argv.slice(2).filter((name) => !name.startsWith('--'));
const reports: Report[] = [];
for (const name of names.length > 0 ? names : Object.keys(PARTS)) {
  const bench = PARTS[name];
  if (!bench) throw new Error(`There is no benchmark "${name}": ${Object.keys(PARTS).join(', ')}.`);
  console.log(`\n${name}`);
  const report = new Report(name);
  await bench(report);
  reports.push(report);
  if (!IS_QUICK) report.write(`npm run bench${names.length > 0 ? ` -- ${name}` : ''}`);
}
for (const report of reports) report.print();
