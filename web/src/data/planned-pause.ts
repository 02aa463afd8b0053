import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';

export const plannedPauseOptions = queryOptions({
  queryKey: ['planned-pause'],
  queryFn: () => unwrap(api.GET('/v1/me/pause/planned')),
});
