/** Who is asking: a person in a session, or an agent with a token of theirs. */
export type Scope = 'tasks:read' | 'tasks:write' | 'settings:write';

export const SCOPES: readonly Scope[] = ['tasks:read', 'tasks:write', 'settings:write'];

export interface SessionCaller {
  readonly kind: 'session';
  readonly userId: string;
  readonly sessionId: string;
}

export interface TokenCaller {
  readonly kind: 'token';
  readonly userId: string;
  readonly tokenId: string;
  readonly scopes: readonly Scope[];
}

export type Caller = SessionCaller | TokenCaller;
