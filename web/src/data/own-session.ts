/** The session of this browser, and whether its user is an administrator, as read from the service. */
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';

export const ownSessionOptions = queryOptions({
  queryKey: ['own-session'],
  queryFn: () => call<{ readonly id: string; readonly is_admin: boolean }>('GET', '/app/session'),
});
