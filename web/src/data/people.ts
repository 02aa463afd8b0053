/** The spaces of the user, and the names of their members. */
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
import { strings } from '../strings.ts';

const STALE_MS = 60_000;

export const spacesOptions = queryOptions({
  queryKey: ['spaces'],
  queryFn: () => unwrap(api.GET('/v1/spaces')),
  staleTime: STALE_MS,
});

export const membersOptions = (spaceId: string) =>
  queryOptions({
    queryKey: ['spaces', spaceId, 'members'],
    queryFn: () => unwrap(api.GET('/v1/spaces/{space_id}/members', { params: { path: { space_id: spaceId } } })),
    staleTime: STALE_MS,
  });

export const useSpaces = () => useQuery(spacesOptions);

export const nameOf = ({ display_name }: { readonly display_name: string | null }): string =>
  display_name ?? strings.unnamedPerson;

/** Account id → name, for the members of all spaces of the user. */
export function usePeople(): ReadonlyMap<string, string> {
  const spaces = useSpaces().data ?? [];
  return useQueries({
    queries: spaces.map(({ id }) => membersOptions(id)),
    combine: (lists) =>
      new Map(lists.flatMap(({ data = [] }) => data.map((member) => [member.user_id, nameOf(member)] as const))),
  });
}
