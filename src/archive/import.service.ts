/**
 * Brings tasks back from an archive, or in from a calendar file.
 *
 * Where anything is refused nothing is imported, and the report says why: a person who moves house
 * wants all of it, and what is missing from a list of hundreds is noticed when it is too late. Whoever
 * has read the report may ask for the rest. Either way it happens in one transaction, which takes as
 * much of the file as others can wait for; the report says where to go on.
 */
import type { Audit } from '../accounts/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import type { RestorationService } from '../tasks/restoration.service.ts';
import type { ArchiveReader } from './archive-reader.ts';
import { type ImportReport, reportOf } from './import-report.ts';
import type { Document } from './read-document.ts';

export interface ImportRequest {
  readonly document: Document;
  readonly isPartial: boolean;
  readonly address: string;
  /** Fires when the sender has hung up. */
  readonly departed: AbortSignal;
}

export class ImportService {
  readonly #clock: Clock;
  readonly #audit: Audit;
  readonly #reader: ArchiveReader;
  readonly #restoration: RestorationService;

  constructor(clock: Clock, audit: Audit, reader: ArchiveReader, restoration: RestorationService) {
    this.#clock = clock;
    this.#audit = audit;
    this.#reader = reader;
    this.#restoration = restoration;
  }

  async import({ userId }: SessionCaller, request: ImportRequest): Promise<ImportReport> {
    const { document, isPartial, address, departed } = request;
    const host = await this.#restoration.hostOf(userId);
    const reading = await this.#reader.read({ document, reader: { ...host, now: this.#clock.now() } }, departed);
    const readable = reading.items.filter((item) => 'arrival' in item);
    const isWelcome = readable.length > 0 && (isPartial || readable.length === reading.items.length);
    const plannedBy = { ...host.owner, timezone: reading.readIn };
    const arrivals = readable.map(({ arrival }) => arrival);
    const arrived = isWelcome ? await this.#restoration.restore(userId, plannedBy, arrivals) : [];
    const before = host.owner.timezone;
    const zone = { document: reading.zone ?? null, account: isWelcome ? reading.readIn : before };
    const report = reportOf(reading, document.from, arrived, { ...zone, taken_over: zone.account !== before });
    const { imported, skipped, refused } = report;
    this.#audit.record('tasks_imported', { result: 'ok', address, user_id: userId, imported, skipped, refused });
    return report;
  }
}
