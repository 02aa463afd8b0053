/** The spaces of the user, and the names of their members. */
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
import { strings } from '../strings.ts';
import { alphabetical } from './alphabetical.ts';

const STALE_MS = 60_000;

export const spacesOptions = queryOptions({
  queryKey: ['spaces'],
  queryFn: async () => alphabetical(await unwrap(api.GET('/v1/spaces')), ({ name }) => name),
  staleTime: STALE_MS,
});

export const membersOptions = (spaceId: string) =>
  queryOptions({
    queryKey: ['spaces', spaceId, 'members'],
    queryFn: async () => {
      const params = { path: { space_id: spaceId } };
      return alphabetical(await unwrap(api.GET('/v1/spaces/{space_id}/members', { params })), nameOf);
    },
    staleTime: STALE_MS,
  });

export const useSpaces = (enabled = true) => useQuery({ ...spacesOptions, enabled });

export const nameOf = ({ display_name }: { readonly display_name: string | null }): string =>
  display_name ?? strings.unnamedPerson;

/** Account id → name, for the members of all spaces of the user who have one. */
export function usePeople(): ReadonlyMap<string, string> {
  const spaces = useSpaces().data ?? [];
  return useQueries({
    queries: spaces.map(({ id }) => membersOptions(id)),
    combine: (lists) =>
      new Map(
        lists.flatMap(({ data = [] }) =>
          data.flatMap(({ user_id, display_name }) =>
            display_name === null ? [] : [[user_id, display_name] as const],
          ),
        ),
      ),
  });
}
