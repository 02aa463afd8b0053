/** The channels of the account, and whether any of them, or a device, can reach it. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, type Channel, type ChannelKind, type ChannelMade, type ChannelUpdate, unwrap } from '../api/client.ts';
import { devicesOptions } from './devices.ts';
import { queryClient } from './query-client.ts';

/** Read again by every screen that shows them: a channel can be confirmed, or stop working, elsewhere. */
export const channelsOptions = queryOptions({
  queryKey: ['channels'],
  queryFn: () => unwrap(api.GET('/v1/channels')),
  staleTime: 0,
});

/** What messages without titles call the task. Reads nothing itself: a row of a list must not ask for the channels. */
export const useTaskCode = (taskId: string): string | undefined =>
  useQuery({
    ...channelsOptions,
    enabled: false,
    // An answer that was saved by an earlier release has no codes.
    select: ({ task_codes = [] }) => task_codes.find(({ task_id }) => task_id === taskId)?.code,
  }).data;

/** At which stages nothing reaches the account, though something does at others. Reads nothing itself. */
export const useSilentStages = (): readonly number[] | undefined =>
  useQuery({
    ...channelsOptions,
    enabled: false,
    select: (data) => (data.reachable ? data.unreached_stages : undefined),
  }).data;

export const kindsOptions = queryOptions({
  queryKey: ['channel-kinds'],
  queryFn: () => unwrap(api.GET('/v1/channels/kinds')),
});

/** Whether anything reaches the account depends on its devices, too. */
export const refetchReach = () =>
  Promise.all([
    queryClient.invalidateQueries(channelsOptions),
    queryClient.invalidateQueries(devicesOptions),
    queryClient.invalidateQueries({ queryKey: ['push-state'] }),
  ]);

const withId = (channel_id: string) => ({ params: { path: { channel_id } } });

export const createChannel = (provider: string, fields: Readonly<Record<string, string>>) =>
  unwrap(api.POST('/v1/channels', { body: { provider, fields } }));

export const changeChannel = (id: string, body: ChannelUpdate) =>
  unwrap(api.PATCH('/v1/channels/{channel_id}', { ...withId(id), body }));

export const removeChannel = (id: string) => unwrap(api.DELETE('/v1/channels/{channel_id}', withId(id)));

export const testChannel = (id: string) => unwrap(api.POST('/v1/channels/{channel_id}/test', withId(id)));

/** Without a code, the service sends a new one, makes a new link, or asks the server to return a challenge. */
export const verifyChannel = (id: string, code?: string) =>
  unwrap(api.POST('/v1/channels/{channel_id}/verify', { ...withId(id), body: { code: code ?? null } }));

/** What the other side needs is shown once: whoever did not keep it gets a new topic or a new secret. */
export const makeAgain = (id: string, field: string): Promise<ChannelMade> =>
  changeChannel(id, { fields: { [field]: '' } });

/** Of an earlier release, which took less for a proof. */
export const isUnproven = ({ proven_by }: Channel): boolean => proven_by === 'answer' || proven_by === 'return';

export const isToConfirm = (channel: Channel): boolean => channel.state === 'unconfirmed' || isUnproven(channel);

export const setFallback = (fallback_minutes: number) =>
  unwrap(api.PATCH('/v1/channels', { body: { fallback_minutes } }));

export const nameOfChannel = ({ name, provider }: Channel, kind: ChannelKind | undefined): string =>
  name ?? kind?.title ?? provider;
