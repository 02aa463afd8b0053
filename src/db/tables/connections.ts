/** How connections begin and continue. A connection itself is a row of `access_tokens`. */
import type { ColumnType, Generated } from 'kysely';
import type { Scope } from '../../lib/caller.ts';

/** What a person lets an assistant do. */
export interface Rails {
  readonly scopes: readonly Scope[];
  readonly max_stage: number | null;
  readonly max_open_tasks: number | null;
  /** In minutes. Absent in codes from before this field existed. */
  readonly shortest_wait?: number | null | undefined;
  /** ISO 8601, in UTC. */
  readonly expires_at: string | null;
}

export interface ConnectionTables {
  /** What a person agreed to, until the assistant fetches it. */
  connection_codes: {
    code_hash: string;
    user_id: string;
    client_id: string;
    client_name: string;
    client_host: string | null;
    redirect_uri: string;
    /** PKCE, S256. */
    challenge: string;
    rails: ColumnType<Rails, string, never>;
    expires_at: Date;
    /** The connection that the code became; null until then. A second use of the code ends the connection. */
    token_id: string | null;
  };
  connection_secrets: {
    secret_hash: string;
    token_id: string;
    kind: 'access' | 'refresh';
    expires_at: Date;
    /** When the refresh token was first exchanged. It can be exchanged again for a short while. */
    used_at: Date | null;
    /** How often it was exchanged. */
    successors: Generated<number>;
  };
}
