/** Composes what is told about messages that providers hold. The engine keeps them itself. */
import { explainProblem } from '../channels/problem-text.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/schema.ts';
import type { Routes } from '../http/app.ts';
import { hostOf } from '../lib/server-of.ts';
import type { Gateways } from '../push/gateway.ts';
import { understudyRoutes } from '../understudies/understudies.routes.ts';
import { UnderstudyReports } from '../understudies/understudy-reports.service.ts';
import type { HoldingServer } from '../understudies/understudy-reports.store.ts';
import type { Parts } from './parts.ts';

export function composeUnderstudies(
  { clock, config }: Parts,
  db: Db,
  gateways: Gateways,
): {
  readonly routes: Routes[];
  readonly reports: UnderstudyReports;
  readonly forAdmins: () => ReturnType<typeof reportForAdmins>;
} {
  const reports = new UnderstudyReports({ db, clock, gateways });
  return {
    routes: [understudyRoutes(reports, explainProblem)],
    reports,
    forAdmins: () => reportForAdmins(reports, config),
  };
}

const PUBLIC_HOST = 'ntfy.sh';

async function reportForAdmins(reports: UnderstudyReports, { UNDERSTUDIES: where, NTFY_SERVER }: Config) {
  const { people, servers, horizonSeconds } = await reports.ofInstallation();
  const count = (state: string) => people.find((one) => one.state === state)?.people ?? 0;
  const moved = servers.flatMap(({ movedAt }) => (movedAt ? [movedAt.getTime()] : []));
  const named = Map.groupBy(servers, (server) => nameOf(server, [PUBLIC_HOST, hostOf(NTFY_SERVER)]));
  return {
    where,
    held: count('held'),
    one: count('one'),
    none_left: count('none_left'),
    horizon_seconds: horizonSeconds,
    last_moved_at: moved.length > 0 ? new Date(Math.max(...moved)) : null,
    servers: [...named].map(([name, all]) => {
      const reason = all.find(({ error }) => error !== null)?.error ?? null;
      return {
        name,
        people: all.reduce((sum, { people: some }) => sum + some, 0),
        failing: all.reduce((sum, { failing }) => sum + failing, 0),
        problem: reason && explainProblem(reason),
      };
    }),
  };
}

/** Null for a server that only one of the people has named: administrators are shown nobody's addresses. */
function nameOf({ provider, server }: HoldingServer, known: readonly string[]): string | null {
  if (server === null) return provider;
  const host = hostOf(server);
  return known.includes(host) ? host : null;
}
