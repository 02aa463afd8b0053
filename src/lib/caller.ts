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
  /** The strongest stage that tasks created with it may reach, and how many of them may be open; null for no limit. */
  readonly maxStage: number | null;
  readonly maxOpenTasks: number | null;
}

export type Caller = SessionCaller | TokenCaller;
