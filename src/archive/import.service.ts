/**
 * Brings tasks back from an archive, or in from a calendar file.
 *
 * Where anything is refused nothing is imported, and the report says why: a person who moves house
 * wants all of it, and what is missing from a list of hundreds is noticed when it is too late. Whoever
 * has read the report may ask for the rest. Either way it happens in one transaction.
 */
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import type { Arrived, RestorationService } from '../tasks/restoration.service.ts';
import type { ArchiveReader } from './archive-reader.ts';
import type { FileKind, ReadItem } from './read-document.ts';

interface ImportedItem {
  readonly index: number;
  readonly title: string | null;
  readonly id: string | null;
  readonly result: 'imported' | 'already_there' | 'refused' | 'left_out';
  readonly reason: string | null;
}

export interface Report {
  readonly imported: number;
  readonly skipped: number;
  readonly refused: number;
  readonly left_behind: { readonly spaces: number; readonly assigners: number };
  readonly items: ImportedItem[];
}

interface ImportFile {
  readonly bytes: Uint8Array;
  readonly kind: FileKind;
}

type Readable = Extract<ReadItem, { arrival: unknown }>;

export class ImportService {
  readonly #clock: Clock;
  readonly #reader: ArchiveReader;
  readonly #restoration: RestorationService;

  constructor(clock: Clock, reader: ArchiveReader, restoration: RestorationService) {
    this.#clock = clock;
    this.#reader = reader;
    this.#restoration = restoration;
  }

  async import({ userId }: SessionCaller, { bytes, kind }: ImportFile, isPartial: boolean): Promise<Report> {
    const owner = await this.#restoration.ownerOf(userId);
    const items = await this.#reader.read({ bytes, kind, reader: { owner, now: this.#clock.now() } });
    const readable = items.filter((item) => 'arrival' in item);
    const isWelcome = isPartial || readable.length === items.length;
    const arrivals = readable.map(({ arrival }) => arrival);
    const arrived = isWelcome ? await this.#restoration.restore(userId, owner, arrivals) : [];
    return reportOf(items, readable, arrived);
  }
}

function reportOf(items: readonly ReadItem[], readable: readonly Readable[], arrived: readonly Arrived[]): Report {
  const places = new Map(arrived.map((place, index) => [readable[index] as ReadItem, place]));
  const told = items.map((item, index) => toldOf(item, index, places.get(item)));
  const count = (result: ImportedItem['result']) => told.filter((item) => item.result === result).length;
  const fresh = readable.filter((item) => places.get(item)?.isNew);
  return {
    ...{ imported: count('imported'), skipped: count('already_there'), refused: count('refused') },
    left_behind: {
      spaces: fresh.filter(({ wasInSpace }) => wasInSpace).length,
      assigners: fresh.filter(({ wasAssigned }) => wasAssigned).length,
    },
    items: told,
  };
}

function toldOf(item: ReadItem, index: number, place: Arrived | undefined): ImportedItem {
  const { title } = item;
  if ('reason' in item) return { index, title, id: null, result: 'refused', reason: item.reason };
  if (!place) return { index, title, id: null, result: 'left_out', reason: null };
  return { index, title, id: place.id, result: place.isNew ? 'imported' : 'already_there', reason: null };
}
