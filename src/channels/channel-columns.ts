/** Builds the columns of a channel: of a new one, after its fields were entered again, after its settings changed. */
import type { Insertable, Updateable } from 'kysely';
import type { Static } from 'typebox';
import type { Database } from '../db/schema.ts';
import { SWITCHED_OFF } from '../deliveries/reach.ts';
import { STAGES, toStageBits } from '../escalation/ladder.ts';
import { InvalidInput } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { addressOf } from '../lib/server-of.ts';
import { type Address, AddressProblem, type ChannelProvider, findServerOf } from '../push/channel-provider.ts';
import type { ChannelSenders } from './channel-senders.ts';
import type { ChannelCreate, ChannelUpdate } from './channels.schemas.ts';
import type { Account, Channel } from './channels.store.ts';
import { workingChannel } from './working-channel.ts';

export const MAIL = 'email';

export type ChannelInput = Static<typeof ChannelCreate>;
export type ChannelChanges = Static<typeof ChannelUpdate>;

/** The fields that were entered for a channel, as they are stored. */
export interface Entered {
  readonly provider: ChannelProvider;
  readonly address: Address;
  readonly hashes: readonly string[];
  /** Whether the fields lead to the address that the channel has already. */
  readonly isSame: boolean;
  /** What the other side needs, if this request made or contained all of it. */
  readonly setUp: Readonly<Record<string, string>> | null;
  readonly columns: Updateable<Database['channels']>;
}

export function newChannel(
  senders: ChannelSenders,
  account: Account,
  provider: ChannelProvider,
  input: ChannelInput,
  now: Date,
) {
  const { kind } = provider;
  const id = newId();
  const isLinked = kind.confirmation === 'link';
  const address = isLinked ? {} : readAddress(provider, input.fields ?? {});
  const hashes = senders.hashesOf(kind.provider, isLinked ? id : provider.identify(address));
  // Signing in has shown already that the account's address is its owner's.
  const isOwnMail = kind.provider === MAIL && address.email === account.email;
  const channel: Insertable<Database['channels']> = {
    id,
    user_id: account.id,
    provider: kind.provider,
    name: input.name ?? null,
    address: senders.seal(id, address),
    address_hash: hashes[0],
    server: isLinked ? null : findServerOf(provider, address),
    label: isLinked ? '' : provider.label(address),
    stages: toStageBits(input.stages ?? STAGES.filter((_stage, index) => kind.strengths[index] !== null)),
    tier: input.tier ?? kind.tier,
    private_title: input.private_title ?? provider.isPublic?.(address) ?? false,
    automatic: false,
    verified_at: isOwnMail ? now : null,
    proven_by: isOwnMail ? 'sign_in' : null,
    ...workingChannel(now),
    created_at: now,
  };
  return { channel, address, hashes, isConfirmed: isOwnMail };
}

/** The fields of a channel in an export, without its address. */
export interface ArchivedChannel {
  readonly id: string;
  readonly provider: string;
  readonly name?: string | null;
  readonly label?: string | null;
  /** As bits. */
  readonly stages: number;
  readonly tier: number;
  readonly private_title: boolean;
  readonly automatic?: boolean;
  readonly invalid_reason?: string | null;
}

export const archivedColumns = ({ name, stages, tier, private_title, invalid_reason }: ArchivedChannel, now: Date) => ({
  name: name ?? null,
  stages,
  tier,
  private_title,
  automatic: false,
  ...workingChannel(now),
  ...(invalid_reason === SWITCHED_OFF && { valid: false, invalid_reason }),
});

/** Has no address, so it is not confirmed: its owner enters one, or connects it, as for a new channel. */
export const channelWithoutAddress = (
  senders: ChannelSenders,
  userId: string,
  id: string,
  archived: ArchivedChannel,
  now: Date,
): Insertable<Database['channels']> => ({
  id,
  user_id: userId,
  provider: archived.provider,
  address: senders.seal(id, {}),
  address_hash: senders.hashesOf(archived.provider, id)[0],
  label: '',
  verified_at: null,
  created_at: now,
  ...archivedColumns(archived, now),
});

export function enterFields(senders: ChannelSenders, { email }: Account, channel: Channel, fields: Address): Entered {
  const provider = senders.find(channel.provider);
  if (!provider || channel.address === null || provider.kind.confirmation === 'link') {
    throw invalid(['body', 'fields'], 'be left out for this channel');
  }
  const before = senders.findAddress(channel, email) ?? {};
  const address = enterAddress(provider, fields, before);
  const identity = provider.identify(address);
  const hashes = senders.hashesOf(channel.provider, identity);
  // Both ways: an earlier release may have hashed another spelling of the address.
  const isSame = hashes.includes(channel.address_hash) || (!isEmpty(before) && provider.identify(before) === identity);
  const isPublic = (of: Address) => !isEmpty(of) && provider.isPublic?.(of) === true;
  const columns = {
    address: senders.seal(channel.id, address),
    // The links in messages know the address by its hash, so it stays also after a rotation of the keys.
    address_hash: hashes.includes(channel.address_hash) ? channel.address_hash : hashes[0],
    server: findServerOf(provider, address),
    label: provider.label(address),
    ...(!isSame && { verified_at: null, proven_by: null }),
    ...(isPublic(address) && !isPublic(before) && { private_title: true }),
  };
  return { provider, address, hashes, isSame, setUp: findSetUp(provider, fields, before, address), columns };
}

/** Of a channel that was imported, or that no key opens any more. */
const isEmpty = (address: Address): boolean => Object.keys(address).length === 0;

/**
 * A secret that was entered for one server is never used for another: if the channel gets another URL, every secret is
 * entered again, or left empty on purpose, and nothing that only the former server was given is kept.
 */
function enterAddress(provider: ChannelProvider, fields: Address, before: Address): Address {
  const address = readAddress(provider, fields, before);
  const { fields: described } = provider.kind;
  const isMoved = described.some(
    ({ name, type }) => type === 'url' && before[name] && addressOf(before[name]) !== addressOf(address[name] ?? ''),
  );
  if (!isMoved) return address;
  const missing = described.find(({ name, secret }) => secret && before[name] && fields[name] === undefined);
  if (missing) throw invalid(['body', 'fields', missing.name], ENTER_AGAIN);
  const shown = described.filter(({ name, secret }) => !secret && before[name]);
  return readAddress(provider, fields, Object.fromEntries(shown.map(({ name }) => [name, before[name] ?? ''])));
}

const ENTER_AGAIN = 'be entered again, because the address changes; or be empty, for none or a new one';

/** Null if it shows a secret that an earlier request made or contained: such a secret is shown once. */
function findSetUp(provider: ChannelProvider, fields: Address, before: Address, address: Address) {
  const setUp = provider.setUp?.(address) ?? null;
  const isKept = (name: string) => address[name] && address[name] === before[name] && fields[name] !== address[name];
  const kept = provider.kind.fields.filter(({ name, secret }) => secret && isKept(name));
  const isShown = kept.some(({ name }) =>
    Object.values(setUp ?? {}).some((text) => text.includes(address[name] ?? '')),
  );
  return isShown ? null : setUp;
}

/** From now on the owner's settings count, not the rule for channels that the service made. */
export const settingColumns = ({ name, stages, tier, private_title, enabled }: ChannelChanges) => ({
  ...(name !== undefined && { name }),
  ...(stages !== undefined && { stages: toStageBits(stages) }),
  ...(tier !== undefined && { tier }),
  ...(private_title !== undefined && { private_title }),
  ...((stages ?? tier ?? enabled) !== undefined && { automatic: false }),
});

/** After its fields were entered again, the channel is tried again. */
export function switchColumns({ enabled, fields }: ChannelChanges, now: Date) {
  if (enabled === false) return { valid: false, invalid_reason: SWITCHED_OFF };
  if (!enabled && !fields) return {};
  return workingChannel(now);
}

export const invalid = (loc: readonly string[], problem: string) =>
  new InvalidInput({ type: 'value_error', loc, msg: `Input should ${problem}` });

function readAddress(provider: ChannelProvider, fields: Address, before?: Address): Address {
  const address = provider.readAddress(fields, before);
  if (address instanceof AddressProblem) throw invalid(['body', 'fields', address.field], address.problem);
  return address;
}
