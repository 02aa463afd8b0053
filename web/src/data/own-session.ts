/** The session of this browser, and whether its user is an administrator, as read from the service. */
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';

interface OwnSession {
  readonly id: string;
  readonly is_admin: boolean;
  /** Nobody administers the service yet. */
  readonly can_claim: boolean;
}

export const ownSessionOptions = queryOptions({
  queryKey: ['own-session'],
  queryFn: () => call<OwnSession>('GET', '/app/session'),
});
