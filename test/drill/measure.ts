/** Measures an installation from outside: memory, descriptors, rows of every table, the log. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { runOn } from '../support/engines.ts';
import type { Sample } from './growth.ts';
import { type HeapReport, heapReportOf } from './heap-report.ts';
import type { Installation } from './installation.ts';
import type { Member } from './member.ts';

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

/** The columns after which a row is of no use. */
const ENDS = ['expires_at', 'resets_at'];
/** Housekeeping comes every ten minutes. */
const LEFT_FOR_MS = 15 * 60_000;

function measureSqlite(file: string): Sample {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const names = db.prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'").all();
    const rows = names.map(({ name }) => {
      const { count } = db.prepare(`select count(*) as count from "${name}"`).get() as { count: number };
      return [`rows of ${name}`, count] as const;
    });
    const ends = db
      .prepare("select t.name, c.name as ends from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table'")
      .all() as unknown as End[];
    const expired = ends.filter(isEnd).map(({ name, ends: column }) => {
      const counted = db.prepare(`select count(*) as count from "${name}" where "${column}" < ?`);
      const { count } = counted.get(Date.now() - LEFT_FOR_MS) as { count: number };
      return [`expired rows of ${name}`, count] as const;
    });
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    return {
      ...Object.fromEntries([...rows, ...expired]),
      'log MB': log / MB,
      'database MB': statSync(file).size / MB,
    };
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
    ...(await countExpired(url)),
    'log MB': Number(log) / MB,
    'database MB': Number(data) / MB,
  };
}

interface End {
  readonly name: string;
  readonly ends: string;
}

const isEnd = ({ ends }: End) => ENDS.includes(ends);

async function countExpired(url: string): Promise<Sample> {
  const columns =
    "select table_name as name, column_name as ends from information_schema.columns where table_schema = 'public'";
  const counted = (await runOn(url, columns)) as unknown as End[];
  const found: Record<string, number> = {};
  for (const { name, ends } of counted.filter(isEnd)) {
    const expired = `select count(*)::int as count from "${name}" where "${ends}" < now() - interval '${LEFT_FOR_MS} ms'`;
    const [row] = (await runOn(url, expired)) as [{ count: number }];
    found[`expired rows of ${name}`] = row.count;
  }
  return found;
}
