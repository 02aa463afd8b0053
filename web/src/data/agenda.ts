/** The later dates of repeating tasks, which the service computes, in blocks of some weeks. */
import { queryOptions, type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type AgendaEntry, api, unwrap } from '../api/client.ts';
import { BLOCK_DAYS } from './agenda-blocks.ts';
import { queryClient } from './query-client.ts';

const PAGE_SIZE = 200;
const MOST_PAGES = 5;
const DAY_MS = 86_400_000;

const KEY = 'agenda';

interface Block {
  readonly entries: readonly AgendaEntry[];
  /** More than the app reads. */
  readonly isCut: boolean;
}

const blockOptions = (firstDay: string, block: number) =>
  queryOptions({
    queryKey: [KEY, firstDay, block],
    queryFn: () => readBlock(plusDays(firstDay, block * BLOCK_DAYS), plusDays(firstDay, (block + 1) * BLOCK_DAYS - 1)),
    gcTime: DAY_MS,
  });

const plusDays = (day: string, days: number) =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length);

async function readBlock(from: string, until: string): Promise<Block> {
  const entries: AgendaEntry[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = { from, until, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
    const answer = api.GET('/v1/agenda', { params: { query } });
    // The tasks themselves come by sync, which knows what was done here a moment ago.
    entries.push(...(await unwrap(answer)).filter(({ kind, status }) => kind === 'occurrence' && status === 'open'));
    cursor = (await answer).response.headers.get('x-next-cursor') ?? undefined;
    if (cursor === undefined) break;
  }
  return { entries, isCut: cursor !== undefined };
}

/** `version` changes with the repeating tasks: then the dates are read again. */
export function useLaterDates(firstDay: string, blocks: number, version: string) {
  const known = useRef(version);
  useEffect(() => {
    if (known.current === version) return;
    known.current = version;
    void queryClient.invalidateQueries({ queryKey: [KEY] });
  }, [version]);
  return useQueries({
    queries: Array.from({ length: blocks }, (_, block) => blockOptions(firstDay, block)),
    combine,
  });
}

/** Outside of the hook, so that it runs only for new results. */
const combine = (results: readonly UseQueryResult<Block>[]) => ({
  entries: results.flatMap(({ data }) => data?.entries ?? []),
  isCut: results.some(({ data }) => data?.isCut),
  isLoading: results.some(({ isPending }) => isPending),
  isUnknown: results.some(({ isError }) => isError),
});
