/**
 * All migrations in order. They run on both engines from this one source and are append-only:
 * once released, a migration is never edited, since databases out there have already run it.
 */
import type { Migration } from 'kysely/migration';
import { releases } from './0001-releases.ts';
import { accounts } from './0002-accounts.ts';
import { spaces } from './0003-spaces.ts';
import { tasks } from './0004-tasks.ts';
import { engine } from './0005-engine.ts';
import { push } from './0006-push.ts';
import { agents } from './0007-agents.ts';
import { billing } from './0008-billing.ts';
import { calendar } from './0009-calendar.ts';
import { keyIds } from './0010-key-ids.ts';
import { sealingKeys } from './0011-sealing-keys.ts';
import { origins } from './0012-origins.ts';
import { welcomeBack } from './0013-welcome-back.ts';
import { fairNudges } from './0014-fair-nudges.ts';
import { followUps } from './0015-follow-ups.ts';
import { signInRequests } from './0016-sign-in-requests.ts';
import { cheaperWrites } from './0017-cheaper-writes.ts';
import { countShards } from './0018-count-shards.ts';
import { storedTasks } from './0019-stored-tasks.ts';
import { channels } from './0020-channels.ts';
import { signIn } from './0021-sign-in.ts';
import { passkeys } from './0022-passkeys.ts';
import { connections } from './0023-connections.ts';
import { plannedPause } from './0024-planned-pause.ts';
import { lastMail } from './0025-last-mail.ts';
import { providerSessions } from './0026-provider-sessions.ts';
import { admin } from './0027-admin.ts';
import { textWriters } from './0029-text-writers.ts';
import { clientNames } from './0031-client-names.ts';
import { runs } from './0032-runs.ts';
import { servers } from './0033-servers.ts';
import { expectations } from './0034-expectations.ts';
import { firstAccount } from './0035-first-account.ts';
import { assigners } from './0036-assigners.ts';
import { provenSignIns } from './0037-proven-sign-ins.ts';
import { channelProofs } from './0038-channel-proofs.ts';
import { changes } from './0039-changes.ts';
import { knownClients } from './0040-known-clients.ts';
import { everyStage } from './0041-every-stage.ts';
import { ringsAnyway } from './0042-rings-anyway.ts';
import { requestMessages } from './0043-request-messages.ts';
import { missedOutcomes } from './0045-missed-outcomes.ts';
import { batches } from './0046-batches.ts';
import { labelColours } from './0047-label-colours.ts';
import { processes } from './0048-processes.ts';
import { plansAgain } from './0049-plans-again.ts';
import { emptySpaces } from './0050-empty-spaces.ts';
import { addressChanges } from './0051-address-changes.ts';
import { secondFactorResets } from './0052-second-factor-resets.ts';
import { listedBatches } from './0053-listed-batches.ts';
import { ladders } from './0055-ladders.ts';
import { standIns } from './0056-stand-ins.ts';
import { caldav } from './0060-caldav.ts';
import { moveIns } from './0063-move-ins.ts';
import { understudies } from './0064-understudies.ts';
import { outages } from './0065-outages.ts';
import { claims } from './0066-claims.ts';
import { claimedUntil } from './0067-claimed-until.ts';

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-releases': releases,
  '0002-accounts': accounts,
  '0003-spaces': spaces,
  '0004-tasks': tasks,
  '0005-engine': engine,
  '0006-push': push,
  '0007-agents': agents,
  '0008-billing': billing,
  '0009-calendar': calendar,
  '0010-key-ids': keyIds,
  '0011-sealing-keys': sealingKeys,
  '0012-origins': origins,
  '0013-welcome-back': welcomeBack,
  '0014-fair-nudges': fairNudges,
  '0015-follow-ups': followUps,
  '0016-sign-in-requests': signInRequests,
  '0017-cheaper-writes': cheaperWrites,
  '0018-count-shards': countShards,
  '0019-stored-tasks': storedTasks,
  '0020-channels': channels,
  '0021-sign-in': signIn,
  '0022-passkeys': passkeys,
  '0023-connections': connections,
  '0024-planned-pause': plannedPause,
  '0025-last-mail': lastMail,
  '0026-provider-sessions': providerSessions,
  '0027-admin': admin,
  '0029-text-writers': textWriters,
  '0031-client-names': clientNames,
  '0032-runs': runs,
  '0033-servers': servers,
  '0034-expectations': expectations,
  '0035-first-account': firstAccount,
  '0036-assigners': assigners,
  '0037-proven-sign-ins': provenSignIns,
  '0038-channel-proofs': channelProofs,
  '0039-changes': changes,
  '0040-known-clients': knownClients,
  '0041-every-stage': everyStage,
  '0042-rings-anyway': ringsAnyway,
  '0043-request-messages': requestMessages,
  '0045-missed-outcomes': missedOutcomes,
  '0046-batches': batches,
  '0047-label-colours': labelColours,
  '0048-processes': processes,
  '0049-plans-again': plansAgain,
  '0050-empty-spaces': emptySpaces,
  '0051-address-changes': addressChanges,
  '0052-second-factor-resets': secondFactorResets,
  '0053-listed-batches': listedBatches,
  '0055-ladders': ladders,
  '0056-stand-ins': standIns,
  '0060-caldav': caldav,
  '0063-move-ins': moveIns,
  '0064-understudies': understudies,
  '0065-outages': outages,
  '0066-claims': claims,
  '0067-claimed-until': claimedUntil,
};
