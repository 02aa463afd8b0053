/**
 * Imports tasks from an archive or a calendar file.
 *
 * If any task is refused, nothing is imported and the report says why: a person who moves wants all
 * of their tasks, and notices too late that one of hundreds is missing. After reading the report they
 * may import the others. One import stores only a part of a large file, and the report says where to continue.
 */
import type { Static } from 'typebox';
import type { Audit } from '../lib/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { ImportedTask, ImportRecord, TaskImportService } from '../tasks/task-import.service.ts';
import type {
  ArchivedAppEntry,
  ArchivedCaldav,
  ArchivedChannel,
  ArchivedLadders,
  ImportReport,
} from './archive.schemas.ts';
import type { ArchiveReader, Reading } from './archive-reader.ts';
import type { ChannelSettings, Document } from './read-document.ts';
import type { ReadItem } from './read-task.ts';

type Report = Static<typeof ImportReport>;
type Result = Pick<Report['items'][number], 'id' | 'result' | 'reason'>;
type ChannelResult = Report['channels'][number];
type Archived = Static<typeof ArchivedChannel>;

/**
 * Restores the settings of channels without their addresses. Returns a result for each channel that the report names.
 */
type RestoreChannels = (
  userId: string,
  channels: readonly Archived[],
  settings: ChannelSettings,
) => Promise<readonly ChannelResult[]>;

/** Adds the ladders that the account does not have. */
export type RestoreLadders = (userId: string, ladders: Static<typeof ArchivedLadders>) => Promise<void>;

type Label = Reading['labels'][number];

/** What apps sent of tasks that are new, and what their person chose. */
export interface ArchivedApps {
  readonly settings: Static<typeof ArchivedCaldav> | undefined;
  readonly entries: readonly (Static<typeof ArchivedAppEntry> & { readonly task_id: string })[];
}

export interface Restore {
  readonly channels: RestoreChannels;
  readonly ladders: RestoreLadders;
  /** Changes no colour that the account has. */
  readonly labels: (userId: string, colours: readonly Label[]) => Promise<void>;
  /** Changes nothing that the account has. */
  readonly caldav: (userId: string, archived: ArchivedApps) => Promise<void>;
}

/** Storing a row takes as long as reading this many. */
const COST_OF_STORING = 5;

/** How often the file is read at most, if the account's time zone changes during the import. */
const MAX_ATTEMPTS = 3;

export interface ImportRequest {
  readonly document: Document;
  readonly isPartial: boolean;
  readonly address: string;
  /** Fires when the sender has hung up. */
  readonly callerLeft: AbortSignal;
}

export class ImportService {
  readonly #clock: Clock;
  readonly #audit: Audit;
  readonly #reader: Pick<ArchiveReader, 'read'>;
  readonly #taskImport: TaskImportService;
  readonly #restore: Restore;

  constructor(
    clock: Clock,
    audit: Audit,
    reader: Pick<ArchiveReader, 'read'>,
    taskImport: TaskImportService,
    restore: Restore,
  ) {
    this.#clock = clock;
    this.#restore = restore;
    this.#audit = audit;
    this.#reader = reader;
    this.#taskImport = taskImport;
  }

  /** `cost` is in rows that could be read in the same time. */
  async import(caller: SessionCaller, request: ImportRequest): Promise<{ report: Report; cost: number }> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const done = await this.#importOnce(caller, request);
      if (done) return done;
    }
    throw new AppError('overloaded');
  }

  /** Undefined if the time zone changed while the file was read: its dates have to be read again. */
  async #importOnce(
    { userId }: SessionCaller,
    request: ImportRequest,
  ): Promise<{ report: Report; cost: number } | undefined> {
    const { document, isPartial, address, callerLeft } = request;
    const account = await this.#taskImport.getAccount(userId);
    const reading = await this.#reader.read({ document, context: { ...account, now: this.#clock.now() } }, callerLeft);
    const records = reading.items.flatMap((item) => ('record' in item ? [item.record] : []));
    const isWhole = isPartial || records.length === reading.items.length;
    const isAccepted = records.length > 0 && isWhole;
    const plannedBy = { ...account.owner, timezone: reading.appliedZone };
    // Before the ladders: an import that is refused changes nothing.
    if (isAccepted) await this.#taskImport.checkLimits(userId, records);
    // Before the tasks, which are planned by them.
    if (isWhole && reading.ladders) await this.#restore.ladders(userId, reading.ladders);
    const imported = isAccepted ? await this.#taskImport.importTasks(userId, plannedBy, records) : [];
    if (!imported) return undefined;
    const { timezone: zoneBefore } = account.owner;
    const zoneAfter = isAccepted ? reading.appliedZone : zoneBefore;
    const zone = {
      document: reading.documentZone ?? null,
      account: zoneAfter,
      taken_over: zoneAfter !== zoneBefore,
    };
    const channels = isWhole ? await this.#importChannels(userId, reading) : [];
    const labels = isWhole ? reading.labels : [];
    if (labels.length > 0) await this.#restore.labels(userId, labels);
    if (isWhole) await this.#restore.caldav(userId, appsOf(reading, imported));
    const report = { ...reportOf(reading, document.from, imported, zone), channels };
    this.#audit.record('tasks_imported', {
      result: 'ok',
      address,
      user_id: userId,
      imported: report.imported,
      skipped: report.skipped,
      refused: report.refused,
      channels: channels.length,
    });
    const rows = imported.reduce((sum, { isNew }, index) => sum + (isNew ? rowsOf(records[index]) : 0), 0);
    const stored = rows + channels.length + labels.length;
    return { report, cost: report.items.length + stored * COST_OF_STORING };
  }

  async #importChannels(userId: string, { channels, settings }: Reading): Promise<ChannelResult[]> {
    const readable = channels.flatMap((read) => ('channel' in read ? [read.channel] : []));
    const refused = channels.flatMap((read) => ('reason' in read ? [unreadable(read)] : []));
    const restored = readable.length > 0 ? await this.#restore.channels(userId, readable, settings) : [];
    return [...restored, ...refused];
  }
}

/** `imported` has one entry per readable item, in order, or none if nothing was imported. */
function appsOf({ items, caldav }: Reading, imported: readonly ImportedTask[]): ArchivedApps {
  const entries = items
    .filter((item) => 'record' in item)
    .flatMap(({ appEntry }, index) => {
      const task = imported[index];
      return appEntry && task?.isNew ? [{ ...appEntry, task_id: task.id }] : [];
    });
  return { settings: caldav, entries };
}

const unreadable = ({ name, reason }: { readonly name: string | null; readonly reason: string }): ChannelResult => ({
  provider: null,
  name,
  id: null,
  result: 'refused',
  reason,
});

const rowsOf = (record: ImportRecord | undefined): number => 1 + (record?.outcomes.length ?? 0);

/** `imported` has one entry per readable item, in order, or none if nothing was imported. */
function reportOf(
  reading: Reading,
  from: number,
  imported: readonly ImportedTask[],
  zone: Report['zone'],
): Omit<Report, 'channels'> {
  const { items, remaining } = reading;
  const readable = items.filter((item) => 'record' in item);
  const taskOf = new Map<ReadItem, ImportedTask | undefined>(readable.map((item, index) => [item, imported[index]]));
  const results = items.map((item) => resultOf(item, taskOf.get(item)));
  const count = (result: Result['result']) => results.filter((item) => item.result === result).length;
  const fresh = readable.filter((item) => taskOf.get(item)?.isNew);
  return {
    imported: count('imported'),
    skipped: count('already_there'),
    refused: count('refused'),
    quiet: fresh.filter(({ isQuiet }) => isQuiet).length,
    remaining,
    next: remaining > 0 ? from + items.length : null,
    zone,
    left_behind: {
      spaces: fresh.filter(({ wasInSpace }) => wasInSpace).length,
      assigners: fresh.filter(({ wasAssigned }) => wasAssigned).length,
    },
    items: items.map(({ title }, index) => ({ index: from + index, title, ...(results[index] as Result) })),
  };
}

function resultOf(item: ReadItem, task: ImportedTask | undefined): Result {
  if ('reason' in item) return { id: null, result: 'refused', reason: item.reason };
  if (!task) return { id: null, result: 'left_out', reason: null };
  return { id: task.id, result: task.isNew ? 'imported' : 'already_there', reason: null };
}
