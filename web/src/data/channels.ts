/** The channels of the account, and whether any of them, or a device, can reach it. */
import { queryOptions } from '@tanstack/react-query';
import { api, type Channel, type ChannelKind, type ChannelMade, type ChannelUpdate, unwrap } from '../api/client.ts';
import { devicesOptions } from './devices.ts';
import { queryClient } from './query-client.ts';

/** Read again by every screen that shows them: a channel can be confirmed, or stop working, elsewhere. */
export const channelsOptions = queryOptions({
  queryKey: ['channels'],
  queryFn: () => unwrap(api.GET('/v1/channels')),
  staleTime: 0,
});

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

/** Without a code, the service sends a test to a server that must accept one. */
export const verifyChannel = (id: string, code?: string) =>
  unwrap(api.POST('/v1/channels/{channel_id}/verify', { ...withId(id), body: { code: code ?? null } }));

/** A new code, or a new link. Entering no new field also returns what the other side needs, which `verify` does not. */
export const beginAgain = (id: string, { confirmation }: ChannelKind): Promise<ChannelMade> =>
  confirmation === 'link' ? verifyChannel(id) : changeChannel(id, { fields: {} });

export const setFallback = (fallback_minutes: number) =>
  unwrap(api.PATCH('/v1/channels', { body: { fallback_minutes } }));

export const nameOfChannel = ({ name, provider }: Channel, kind: ChannelKind | undefined): string =>
  name ?? kind?.title ?? provider;
