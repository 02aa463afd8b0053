import type { Caller } from '../lib/caller.ts';
import { SESSION_PREFIX, type SessionsService } from './sessions.service.ts';
import { TOKEN_PREFIX, type TokensService } from './tokens.service.ts';

/** Tells who a bearer token belongs to; undefined for one that is unknown, expired or revoked. */
export const authenticator =
  (sessions: SessionsService, tokens: TokensService) =>
  async (token: string): Promise<Caller | undefined> => {
    if (token.startsWith(SESSION_PREFIX)) return sessions.authenticate(token);
    if (token.startsWith(TOKEN_PREFIX)) return tokens.authenticate(token);
    return undefined;
  };
