/** The session of this browser, and whether its user is an administrator. A route of the app tells. */
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';

export const ownSessionOptions = queryOptions({
  queryKey: ['own-session'],
  queryFn: () => call<{ readonly id: string; readonly is_admin: boolean }>('GET', '/app/session'),
});
