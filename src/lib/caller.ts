/** Who makes a request: a person with a session, or an agent with an access token or a connection. */
export type Scope = 'tasks:read' | 'tasks:write' | 'settings:write';

export const SCOPES: readonly Scope[] = ['tasks:read', 'tasks:write', 'settings:write'];

export interface SessionCaller {
  readonly kind: 'session';
  readonly userId: string;
  readonly sessionId: string;
  /** When the person last showed who they are in this session. */
  readonly provenAt: Date;
}

export interface TokenCaller {
  readonly kind: 'token';
  readonly userId: string;
  readonly tokenId: string;
  readonly scopes: readonly Scope[];
  /** The strongest stage that the token can bring about, and how many of its tasks may be open; null for no limit. */
  readonly maxStage: number | null;
  readonly maxOpenTasks: number | null;
  /** The shortest wait between due nudges that the token can bring about, in minutes; null for no limit. */
  readonly shortestWait: number | null;
  /** A connection counts at the MCP server only, and in the API calls that the MCP server makes for it. */
  readonly isConnection?: boolean;
  /** What the timeline says that an action came through; absent for the API and assistants. */
  readonly via?: string;
}

export type Caller = SessionCaller | TokenCaller;

/** Who holds a link or button of a message acts for its owner on the task of that message. Nobody signs in for it. */
export interface LinkCaller {
  readonly kind: 'link';
  readonly userId: string;
  /** The provider of the channel that the message came through. */
  readonly via: string;
  /** Names the link. It reopens only what it closed. */
  readonly link: string;
}

/** A stand-in, in the app or by a message, on a task that has reached them. */
export interface StandInCaller {
  readonly kind: 'stand_in';
  readonly userId: string;
  /** The provider of the channel that the message came through; null in the app. */
  readonly via: string | null;
  /** The same for one person wherever they act, so that they can take back what they did. */
  readonly link: string;
}

/** Who acts on a task. */
export type TaskCaller = Caller | LinkCaller | StandInCaller;
