/** Composes connections: the authorization server for assistants, and the consent page's routes. */
import type { TokensService } from '../accounts/tokens.service.ts';
import { ClientDocuments } from '../connections/client-documents.ts';
import { ClientProof } from '../connections/client-proof.ts';
import { connectionRoutes } from '../connections/connections.routes.ts';
import { ConnectionsService } from '../connections/connections.service.ts';
import { ConsentService } from '../connections/consent.service.ts';
import { oauthRoutes } from '../connections/oauth.routes.ts';
import { RegisteredClients } from '../connections/registered-clients.ts';
import type { Routes } from '../http/app.ts';
import type { Audit } from '../lib/audit.ts';
import { privateNameLog } from '../outbound/private-name-log.ts';
import type { AccountNotices } from '../sign-in/account-notices.ts';
import type { Parts, Shared } from './parts.ts';

interface Used {
  readonly tokens: TokensService;
  readonly audit: Audit;
  readonly notices: AccountNotices;
}

export function composeConnections(
  { config, wallClock: clock, logger, extra }: Parts,
  { db, vault, throttle }: Shared,
  { tokens, audit, notices }: Used,
): { readonly service: ConnectionsService; readonly consent: ConsentService; readonly routes: Routes[] } {
  const registered = new RegisteredClients(vault);
  const onPrivateName = privateNameLog(logger, clock);
  const documents = new ClientDocuments(clock, { onPrivateName, ...extra?.documents });
  const proof = new ClientProof(documents, registered, clock);
  const consent = new ConsentService({
    db,
    clock,
    tokens,
    clients: proof,
    limitRequests: (userId) => throttle.enforce('connectionRequests', userId),
    audit,
  });
  const service = new ConnectionsService({
    db,
    clock,
    tokens,
    proof,
    limitRefreshes: (connectionId) => throttle.enforce('refreshesPerConnection', connectionId),
    audit,
    made: (userId, client) => notices.send(userId, { kind: 'connection_made', ...client }),
  });
  const { BASE_URL: baseUrl } = config;
  return {
    service,
    consent,
    routes: [connectionRoutes(consent, baseUrl), oauthRoutes({ connections: service, registered, clock, baseUrl })],
  };
}
