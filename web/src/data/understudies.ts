/** Messages that are held elsewhere, to be shown if the service falls silent. */
import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';

/** Read again with the channels, and now and then while it is shown: the service moves messages shortly after a change. */
export const understudiesOptions = queryOptions({
  queryKey: ['channels', 'understudies'],
  queryFn: () => unwrap(api.GET('/v1/me/understudies')),
  staleTime: 0,
  refetchInterval: 20_000,
});
