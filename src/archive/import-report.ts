/** What is said of an import: what became of every task, what stayed behind, and where to go on. */
import type { Arrived } from '../tasks/restoration.service.ts';
import type { Reading } from './archive-reader.ts';
import type { ReadItem } from './read-item.ts';

interface ImportedItem {
  readonly index: number;
  readonly title: string | null;
  readonly id: string | null;
  readonly result: 'imported' | 'already_there' | 'refused' | 'left_out';
  readonly reason: string | null;
}

interface Zones {
  readonly document: string | null;
  readonly account: string;
  readonly taken_over: boolean;
}

export interface ImportReport {
  readonly imported: number;
  readonly skipped: number;
  readonly refused: number;
  readonly quiet: number;
  readonly remaining: number;
  readonly next: number | null;
  readonly zone: Zones;
  readonly left_behind: { readonly spaces: number; readonly assigners: number };
  readonly items: ImportedItem[];
}

/** `arrived` has what became of those that could be read, in their order; it is empty where none was taken in. */
export function reportOf(reading: Reading, from: number, arrived: readonly Arrived[], zone: Zones): ImportReport {
  const { items, remaining } = reading;
  const readable = items.filter((item) => 'arrival' in item);
  const places = new Map<ReadItem, Arrived>(arrived.map((place, index) => [readable[index] as ReadItem, place]));
  const told = items.map((item, index) => toldOf(item, from + index, places.get(item)));
  const count = (result: ImportedItem['result']) => told.filter((item) => item.result === result).length;
  const fresh = readable.filter((item) => places.get(item)?.isNew);
  return {
    ...{ imported: count('imported'), skipped: count('already_there'), refused: count('refused') },
    quiet: fresh.filter(({ isQuiet }) => isQuiet).length,
    ...{ remaining, next: remaining > 0 ? from + items.length : null, zone },
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
