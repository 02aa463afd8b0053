/** Composes accounts: settings, access tokens, connections, sign-in, and the authentication of requests. */
import { type PlanFacts, planAt } from '../accounts/plan.ts';
import { settingsRoutes } from '../accounts/settings.routes.ts';
import { type AccountListener, SettingsService } from '../accounts/settings.service.ts';
import { tokenRoutes } from '../accounts/tokens.routes.ts';
import { TOKEN_PREFIX, TokensService } from '../accounts/tokens.service.ts';
import { CONNECTION_PREFIX, type ConnectionsService } from '../connections/connections.service.ts';
import type { Routes } from '../http/app.ts';
import { addIdempotencyHooks } from '../idempotency/idempotency-hooks.ts';
import { StoredAnswersService } from '../idempotency/stored-answers.service.ts';
import { Audit } from '../lib/audit.ts';
import type { Caller } from '../lib/caller.ts';
import { SESSION_PREFIX, type SessionsService } from '../sign-in/sessions.service.ts';
import type { FindOpenInvite } from '../sign-in/sign-up.service.ts';
import { countHeldByPause } from '../tasks/timeline/timeline.store.ts';
import { composeConnections } from './connections.ts';
import type { Parts, Shared } from './parts.ts';
import { composeSignIn } from './sign-in.ts';

export function composeAccounts(
  parts: Parts,
  shared: Shared,
  listeners: readonly AccountListener[],
  findOpenInvite: FindOpenInvite,
) {
  const { clock, wallClock, logger, extra } = parts;
  const { db, vault } = shared;
  const audit = new Audit(logger);
  const signIn = composeSignIn(parts, shared, audit, findOpenInvite);
  const tokens = new TokensService(db, wallClock, audit, ({ userId, sessionId }, name) =>
    signIn.notices.send(userId, { kind: 'token_minted', name }, sessionId),
  );
  const connections = composeConnections(parts, shared, { tokens, audit, notices: signIn.notices });
  const lookups = {
    countHeld: countHeldByPause,
    // Plans are paid for in real time.
    planOf: (user: PlanFacts) => planAt(user, wallClock.now()),
  };
  const settings = new SettingsService(db, clock, audit, [signIn.listener, ...listeners], lookups, extra?.rowsAtOnce);
  const answers = new StoredAnswersService(db, wallClock, vault);
  const addIdempotency: Routes = (app) => addIdempotencyHooks(app, answers);
  return {
    ...signIn,
    settings,
    tokens,
    connections: connections.service,
    consent: connections.consent,
    routes: [...signIn.routes, tokenRoutes(tokens), ...connections.routes, settingsRoutes(settings)],
    addIdempotency,
    authenticate: authenticator(signIn.sessions, tokens, connections.service),
  };
}

/** The caller that a bearer token belongs to; undefined if the token is unknown, expired or revoked. */
const authenticator =
  (sessions: SessionsService, tokens: TokensService, connections: ConnectionsService) =>
  (token: string): Promise<Caller | undefined> => {
    if (token.startsWith(SESSION_PREFIX)) return sessions.authenticate(token);
    if (token.startsWith(TOKEN_PREFIX)) return tokens.authenticate(token);
    if (token.startsWith(CONNECTION_PREFIX)) return connections.authenticate(token);
    return Promise.resolve(undefined);
  };
