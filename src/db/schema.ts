/**
 * The types of the tables. Instants are `Date` and ids are UUID strings; only `db/` sees how each engine
 * stores them. JSON is written as text and read as a value.
 */
import { type Kysely, PostgresAdapter } from 'kysely';
import type {
  AccessTokensTable,
  AdmittedAddressesTable,
  EmailCodesTable,
  FollowUpsTable,
  IdempotencyKeysTable,
  IdentitiesTable,
  InstallationTable,
  MfaChallengesTable,
  PasskeysTable,
  ProviderRevocationsTable,
  RecoveryCodesTable,
  SealingKeysTable,
  SessionsTable,
  ThrottlesTable,
  TotpStepsTable,
  UsersTable,
} from './tables/accounts.ts';
import type { BillingEventsTable, BillingNamesTable } from './tables/billing.ts';
import type { CalendarFeedsTable } from './tables/calendar.ts';
import type { ConnectionCodesTable, ConnectionSecretsTable } from './tables/connections.ts';
import type {
  ChannelCodesTable,
  ChannelsTable,
  ChannelTurnsTable,
  DeliveriesTable,
  DevicesTable,
  LiveActivitiesTable,
} from './tables/deliveries.ts';
import type { InvitesTable, SpaceDeparturesTable, SpaceMembersTable, SpacesTable } from './tables/spaces.ts';
import type {
  OutcomesTable,
  TaskCountShardsTable,
  TaskCountsTable,
  TaskOriginsTable,
  TaskRemovalsTable,
  TasksTable,
  TextWritersTable,
  TimelineTable,
} from './tables/tasks.ts';

export interface Database {
  releases: ReleasesTable;
  installation: InstallationTable;
  sealing_keys: SealingKeysTable;
  users: UsersTable;
  follow_ups: FollowUpsTable;
  identities: IdentitiesTable;
  sessions: SessionsTable;
  access_tokens: AccessTokensTable;
  connection_codes: ConnectionCodesTable;
  connection_secrets: ConnectionSecretsTable;
  email_codes: EmailCodesTable;
  mfa_challenges: MfaChallengesTable;
  totp_steps: TotpStepsTable;
  recovery_codes: RecoveryCodesTable;
  passkeys: PasskeysTable;
  throttles: ThrottlesTable;
  provider_revocations: ProviderRevocationsTable;
  admitted_addresses: AdmittedAddressesTable;
  spaces: SpacesTable;
  space_members: SpaceMembersTable;
  space_departures: SpaceDeparturesTable;
  invites: InvitesTable;
  tasks: TasksTable;
  outcomes: OutcomesTable;
  task_counts: TaskCountsTable;
  task_count_shards: TaskCountShardsTable;
  task_origins: TaskOriginsTable;
  task_removals: TaskRemovalsTable;
  text_writers: TextWritersTable;
  idempotency_keys: IdempotencyKeysTable;
  timeline: TimelineTable;
  devices: DevicesTable;
  channels: ChannelsTable;
  channel_codes: ChannelCodesTable;
  channel_turns: ChannelTurnsTable;
  deliveries: DeliveriesTable;
  live_activities: LiveActivitiesTable;
  billing_events: BillingEventsTable;
  billing_names: BillingNamesTable;
  calendar_feeds: CalendarFeedsTable;
}

/** Every release that has started on this database. An older release names the newest one when it refuses to start. */
interface ReleasesTable {
  version: string;
  first_started_at: Date;
}

/** The database or a transaction: the first argument of every store function. */
export type Db = Kysely<Database>;

/** For the few statements that the two engines cannot share. */
export const isPostgres = <T>(db: Kysely<T>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;
