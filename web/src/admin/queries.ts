/** Queries and actions of administrators. The browser saves none of this, because it is about other people. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { readData, request } from '../api/call.ts';
import { api, type Person, unwrap } from '../api/client.ts';
import { queryClient } from '../data/query-client.ts';

const meta = { secret: true };

export const adminOptions = queryOptions({
  queryKey: ['admin', 'installation'],
  queryFn: () => unwrap(api.GET('/v1/admin')),
  meta,
});

export const invitationsOptions = queryOptions({
  queryKey: ['admin', 'invitations'],
  queryFn: () => unwrap(api.GET('/v1/admin/invitations')),
  meta,
});

/** The figures change every moment, so each visit reads them again. */
export const healthOptions = queryOptions({
  queryKey: ['admin', 'health'],
  queryFn: () => unwrap(api.GET('/v1/admin/health')),
  staleTime: 0,
  meta,
});

export const personOptions = (user_id: string) =>
  queryOptions({
    queryKey: ['admin', 'people', user_id],
    queryFn: () => unwrap(api.GET('/v1/admin/people/{user_id}', withId(user_id))),
    meta,
  });

interface PeoplePage {
  readonly people: readonly Person[];
  readonly next: string | null;
}

export const peopleOptions = (search: string) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'people', 'list', search],
    queryFn: ({ pageParam }) => readPeople(search, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: PeoplePage) => next,
    meta,
  });

async function readPeople(search: string, cursor: string | null): Promise<PeoplePage> {
  const query = new URLSearchParams({ ...(search && { search }), ...(cursor && { cursor }) });
  const response = await request(`/v1/admin/people?${query}`);
  return { people: await readData<Person[]>(response), next: response.headers.get('x-next-cursor') };
}

const withId = (user_id: string) => ({ params: { path: { user_id } } });

export const refetchAdmin = () => queryClient.invalidateQueries({ queryKey: ['admin'] });

export const suspend = (id: string) => unwrap(api.POST('/v1/admin/people/{user_id}/suspend', withId(id)));
export const lift = (id: string) => unwrap(api.POST('/v1/admin/people/{user_id}/lift', withId(id)));
export const resetSecondFactor = (id: string) =>
  unwrap(api.POST('/v1/admin/people/{user_id}/second-factor-reset', withId(id)));
export const withdrawReset = (id: string) =>
  unwrap(api.DELETE('/v1/admin/people/{user_id}/second-factor-reset', withId(id)));
export const endSessions = (id: string) => unwrap(api.DELETE('/v1/admin/people/{user_id}/sessions', withId(id)));
export const deletePerson = (id: string) => unwrap(api.DELETE('/v1/admin/people/{user_id}', withId(id)));

export const invite = (email: string) => unwrap(api.POST('/v1/admin/invitations', { body: { email } }));
export const revokeInvitation = (invitation_id: string) =>
  unwrap(api.DELETE('/v1/admin/invitations/{invitation_id}', { params: { path: { invitation_id } } }));
export const setSignUp = (sign_up: 'open' | 'invite') => unwrap(api.PATCH('/v1/admin/sign-up', { body: { sign_up } }));
