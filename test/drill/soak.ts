/**
 * `npm run soak`: an hour on SQLite. `-- --engine postgres`, `--minutes 180`. Prints what was measured in the first and the
 * last third of the time, and ends with 1 if something grew that should not.
 */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createRunFolder } from '../support/run-folder.ts';
import { runSoak } from './run-soak.ts';

/** The first minutes say nothing. */
const SHORTEST = 6;

const { values } = parseArgs({
  options: { engine: { type: 'string', default: 'sqlite' }, minutes: { type: 'string', default: '60' } },
});
const { engine } = values;
const minutes = Number(values.minutes);
if ((engine !== 'sqlite' && engine !== 'postgres') || !(minutes >= SHORTEST)) {
  console.error('--engine is sqlite or postgres, --minutes at least 6.');
  process.exit(2);
}

const folder = createRunFolder();
let failed = 0;
try {
  const { trends, remains, people, acknowledged, nudges, violations, waits } = await runSoak({
    engine,
    minutes,
    print: console.log,
  });
  console.log(`\n${'what'.padEnd(44)}${'first third'.padStart(14)}${'last third'.padStart(14)}  verdict`);
  for (const { name, first, last, verdict } of trends)
    console.log(`${name.padEnd(44)}${first.toFixed(1).padStart(14)}${last.toFixed(1).padStart(14)}  ${verdict}`);
  console.log(`\n${'once everybody has left'.padEnd(44)}${'before'.padStart(14)}${'after'.padStart(14)}  verdict`);
  for (const { name, first, last, verdict } of remains)
    console.log(`${name.padEnd(44)}${String(first).padStart(14)}${String(last).padStart(14)}  ${verdict}`);
  for (const sentence of violations) console.log(`VIOLATION ${sentence}`);
  const growing = [...trends, ...remains].filter(({ grows }) => grows).length;
  failed = growing + violations.length;
  console.log(
    `\n${engine}: ${minutes} minutes, ${people} people came and went, ${acknowledged} acknowledged writes, ${nudges} due nudges, ` +
      `processes waited for the CPU ${waits} times; ${growing} grow, ${violations.length} violations`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
