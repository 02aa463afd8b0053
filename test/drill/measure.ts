/** Measures an installation from outside: memory, descriptors, rows of every table, the log. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { runOn } from '../support/engines.ts';
import type { Sample } from './growth.ts';
import { type HeapReport, heapReportOf } from './heap-report.ts';
import type { Installation, Member } from './installation.ts';

const MB = 2 ** 20;

export async function measure(installation: Installation, heapReports: string): Promise<Sample> {
  const ofProcesses = installation.running.map((member) => measureProcess(member, heapReports));
  const ofDatabase =
    installation.engine === 'sqlite'
      ? measureSqlite(installation.databaseUrl.slice('sqlite:'.length))
      : await measurePostgres(installation.databaseUrl);
  return Object.assign({}, ...ofProcesses, ofDatabase);
}

function measureProcess({ name, pid = 0 }: Member, heapReports: string): Sample {
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const heap = readReport(heapReportOf(heapReports, pid));
  return {
    [`${name} RSS MB`]: Number(rss) / 1_024,
    [`${name} descriptors`]: readdirSync(`/proc/${pid}/fd`).length,
    ...(heap && {
      [`${name} heap MB`]: heap.heapBytes / MB,
      [`${name} timers and sockets`]: heap.resources,
    }),
  };
}

/** Undefined until the process has written its first one. */
function readReport(file: string): HeapReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function measureSqlite(file: string): Sample {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const names = db.prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'").all();
    const rows = names.map(({ name }) => {
      const { count } = db.prepare(`select count(*) as count from "${name}"`).get() as { count: number };
      return [`rows of ${name}`, count] as const;
    });
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    return { ...Object.fromEntries(rows), 'log MB': log / MB, 'database MB': statSync(file).size / MB };
  } finally {
    db.close();
  }
}

async function measurePostgres(url: string): Promise<Sample> {
  const counts = `select relname as name, (xpath('/row/c/text()',
    query_to_xml(format('select count(*) as c from %I', relname), false, true, '')))[1]::text::int as count
    from pg_stat_user_tables`;
  const rows = (await runOn(url, counts)) as { name: string; count: number }[];
  const sizes = 'select (select sum(size) from pg_ls_waldir()) as log, pg_database_size(current_database()) as data';
  const [{ log, data }] = (await runOn(url, sizes)) as [{ log: string; data: string }];
  return {
    ...Object.fromEntries(rows.map(({ name, count }) => [`rows of ${name}`, count])),
    'log MB': Number(log) / MB,
    'database MB': Number(data) / MB,
  };
}
