/** Composes signing out everywhere, and taking back a change of the address: both end what outlives a session. */
import type { CalendarService } from '../calendar/calendar.service.ts';
import type { ChannelsService } from '../channels/channels.service.ts';
import type { Db } from '../db/schema.ts';
import type { DevicesService } from '../devices/devices.service.ts';
import type { Routes } from '../http/app.ts';
import { Audit } from '../lib/audit.ts';
import { AddressUndoService } from '../sign-in/address/address-undo.service.ts';
import { signOutRoutes } from '../sign-in/sign-out.routes.ts';
import { type LastingAccess, SignOutService } from '../sign-in/sign-out.service.ts';
import { takeBackRoutes } from '../sign-in/take-back.routes.ts';
import type { InvitesService } from '../spaces/invites.service.ts';
import type { composeAccounts } from './accounts.ts';
import type { Parts } from './parts.ts';

interface Lasting {
  readonly accounts: Pick<
    ReturnType<typeof composeAccounts>,
    'sessions' | 'tokens' | 'connections' | 'passkeys' | 'notices' | 'addressChanging' | 'links' | 'resets'
  >;
  readonly devices: DevicesService;
  readonly channels: Pick<ChannelsService, 'listEntered' | 'end'>;
  readonly calendar: CalendarService;
  readonly invites: InvitesService;
}

export function composeSignOut(
  { logger, wallClock }: Pick<Parts, 'logger' | 'wallClock'>,
  db: Db,
  ending: Lasting,
  wakeUp: () => void,
): { readonly service: SignOutService; readonly routes: Routes[] } {
  const { sessions, connections, notices, addressChanging, links, resets } = ending.accounts;
  const lasting = [...accessToAccount(ending), ...whereNudgesGo(ending), openInvites(ending)];
  const audit = new Audit(logger);
  const forgetCodes = (trx: Db, userId: string) => connections.forgetCodes(trx, userId);
  const shared = { db, audit, notices, lasting, forgetCodes, wakeUp };
  const undo = new AddressUndoService({ ...shared, clock: wallClock, addressChanging });
  const service = new SignOutService({ ...shared, sessions });
  return { service, routes: [signOutRoutes(service), takeBackRoutes({ links, undo, resets })] };
}

function accessToAccount({ accounts: { tokens, passkeys } }: Lasting): LastingAccess[] {
  return [
    {
      list: async (userId, db) =>
        (await tokens.list({ userId }, db)).map(
          ({ id, name, prefix, client_id, client_host, created_at, last_used_at }) => ({
            kind: client_id === null ? 'token' : 'connection',
            id,
            name,
            detail: client_id === null ? prefix : client_host,
            made_at: created_at,
            last_used_at,
          }),
        ),
      end: (trx, userId, ids) => tokens.end(trx, userId, ids),
    },
    {
      list: async (userId, db) =>
        (await passkeys.list({ userId }, db)).map(({ id, name, created_at, last_used_at }) => ({
          kind: 'passkey',
          id,
          name,
          detail: null,
          made_at: created_at,
          last_used_at,
        })),
      end: (trx, userId, ids) => passkeys.end(trx, userId, ids),
    },
  ];
}

/** Who accepts one sees the tasks of the space, and gets an account where sign-up is by invitation. */
function openInvites({ invites }: Lasting): LastingAccess {
  return {
    list: async (userId, db) =>
      (await invites.listOpenOf(userId, db)).map(({ id, space_name, contact, created_at }) => ({
        kind: 'invite',
        id,
        name: space_name,
        detail: contact,
        made_at: created_at,
        last_used_at: null,
      })),
    end: (trx, userId, ids) => invites.end(trx, userId, ids),
  };
}

function whereNudgesGo({ channels, calendar, devices }: Lasting): LastingAccess[] {
  return [
    {
      list: async (userId, db) =>
        (await channels.listEntered(userId, db)).map(({ id, name, title, label, registered_at }) => ({
          kind: 'channel',
          id,
          name: name ?? title,
          detail: label || null,
          made_at: registered_at,
          last_used_at: null,
        })),
      end: (trx, userId, ids) => channels.end(trx, userId, ids),
    },
    {
      list: async (userId, db) => {
        const feed = await calendar.find({ userId }, db);
        if (!feed) return [];
        const { user_id: id, created_at: made_at, last_read_at: last_used_at } = feed;
        return [{ kind: 'calendar_feed', id, name: null, detail: null, made_at, last_used_at }];
      },
      end: (trx, userId, ids) => calendar.end(trx, userId, ids),
    },
    {
      list: async (userId, db) =>
        (await devices.list({ userId }, db)).map(({ id, client_name, platform, created_at, last_seen_at }) => ({
          kind: 'device',
          id,
          name: client_name,
          detail: platform,
          made_at: created_at,
          last_used_at: last_seen_at,
        })),
      end: (trx, userId, ids) => devices.end(trx, userId, ids),
    },
  ];
}
