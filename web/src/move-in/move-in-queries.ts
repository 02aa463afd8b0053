/** What the service knows about moves from other apps, and what changes it. */
import { queryOptions } from '@tanstack/react-query';
import { readData, request } from '../api/call.ts';
import { api, type LadderChoice, type MoveIn, type MoveInPreview, unwrap } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { queryClient } from '../data/query-client.ts';
import { refresh } from '../data/sync.ts';
import { moveInStrings as words } from './move-in-strings.ts';

const POLL_MS = 1_000;
export const isUnderWay = ({ state }: MoveIn): boolean => state === 'importing' || state === 'undoing';

export const moveInOptions = queryOptions({
  queryKey: ['move-in'],
  queryFn: () => unwrap(api.GET('/v1/move-in')),
  refetchInterval: ({ state: { data } }) => (data?.some(isUnderWay) ? POLL_MS : false),
});

export const undecidedOptions = (id: string) =>
  queryOptions({
    queryKey: ['move-in', id, 'overdue'],
    queryFn: () => unwrap(api.GET('/v1/move-in/{move_in_id}/overdue', path(id))),
  });

const path = (id: string) => ({ params: { path: { move_in_id: id } } });

/** As much as the service takes. */
const LARGEST_BYTES = 50 * 1024 * 1024;

export async function previewFile(file: File): Promise<MoveInPreview> {
  if (file.size > LARGEST_BYTES) throw new Problem('payload_too_large', words.tooLarge);
  const headers = { 'Content-Type': 'application/octet-stream' };
  const address = `/v1/move-in/preview?name=${encodeURIComponent(file.name.slice(-200))}`;
  return readData(await request(address, { method: 'POST', headers, body: file }));
}

export interface Choices {
  readonly which: 'all' | 'open';
  readonly labels: readonly { readonly list: number; readonly label: string }[];
  readonly ladder: LadderChoice | null;
}

export const startImport = (preview: MoveInPreview, { which, labels, ladder }: Choices) =>
  afterwards(unwrap(api.POST('/v1/move-in', { body: { preview_id: preview.id, which, labels: [...labels], ladder } })));

export const undoImport = (id: string) => afterwards(unwrap(api.DELETE('/v1/move-in/{move_in_id}', path(id))));

export const decide = (id: string, decision: 'today' | 'keep_date' | 'drop', taskIds: readonly string[]) =>
  afterwards(
    unwrap(api.POST('/v1/move-in/{move_in_id}/overdue', { ...path(id), body: { decision, task_ids: [...taskIds] } })),
  );

async function afterwards<T>(answer: Promise<T>): Promise<T> {
  const data = await answer;
  await Promise.all([queryClient.invalidateQueries({ queryKey: ['move-in'] }), refresh()]);
  return data;
}
