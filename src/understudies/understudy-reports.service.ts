/** Tells what is held: to the person, and in figures to administrators and the doctor. Changes nothing. */
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import type { Gateways } from '../push/gateway.ts';
import { listHeld } from './understudies.store.ts';
import {
  countByState,
  countHeldMessages,
  findShortestHorizon,
  findUnderstudyPerson,
  listChannelsOf,
  listHoldingServers,
} from './understudy-reports.store.ts';
import { type UnderstudyView, viewUnderstudies } from './understudy-view.ts';

interface ReportsParts {
  readonly db: Db;
  /** The service's clock. */
  readonly clock: Clock;
  readonly gateways: Gateways;
}

export class UnderstudyReports {
  readonly #parts: ReportsParts;

  constructor(parts: ReportsParts) {
    this.#parts = parts;
  }

  async ofPerson(userId: string): Promise<UnderstudyView> {
    const { db, clock, gateways } = this.#parts;
    const person = await findUnderstudyPerson(db, userId);
    const rows = await listHeld(db, userId);
    const channels = await listChannelsOf(db, userId);
    return viewUnderstudies({ now: clock.now(), gateways, person, rows, channels });
  }

  /** For metrics. */
  async counts() {
    const { db } = this.#parts;
    return { people: await countByState(db), messages: await countHeldMessages(db) };
  }

  async ofInstallation() {
    const { db } = this.#parts;
    return {
      people: await countByState(db),
      servers: await listHoldingServers(db),
      horizonSeconds: await findShortestHorizon(db),
    };
  }
}
