/**
 * Signing out everywhere: lists everything that outlives a session, and ends what the owner chooses, all of it or nothing.
 * An identity is listed and not ended: its provider would link it again at the next sign-in there, and where the groups of
 * a provider decide who gets in, an account that forgot its identity would get in without them.
 */
import type { Static } from 'typebox';
import { lockUser, requireUser } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Audit } from '../lib/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import { lastUsedAt } from '../lib/session-lifetime.ts';
import type { AccountNotices } from './account-notices.ts';
import { type Identity, listIdentities } from './provider/identities.store.ts';
import type { SessionsService } from './sessions.service.ts';
import type { Session } from './sessions.store.ts';
import type { AccessOut } from './sign-out.schemas.ts';

type Access = Omit<Static<typeof AccessOut>, 'current'>;

/** Something that outlives a session. The part that has it arrives as an argument. */
export interface LastingAccess {
  /** `db`: the transaction to read in, if there is one. */
  list(userId: string, db?: Db): Promise<Access[]>;
  /** Ends those of the account that have one of the ids, and returns how many. The account is locked. */
  end(trx: Db, userId: string, ids: readonly string[]): Promise<number>;
}

interface Parts {
  readonly db: Db;
  readonly audit: Audit;
  readonly notices: AccountNotices;
  readonly sessions: SessionsService;
  /** In the order in which it is listed. */
  readonly lasting: readonly LastingAccess[];
  /** Ends what the owner agreed to for assistants that have not fetched it yet. */
  readonly forgetCodes: (trx: Db, userId: string) => Promise<void>;
  /** Called after the commit: screens of ended devices may have to be cleared. */
  readonly wakeUp: () => void;
}

export interface ChosenEnds {
  /** Whether all other sessions end. */
  readonly sessions: boolean;
  readonly ids: readonly string[];
}

export class SignOutService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list({ userId, sessionId }: SessionCaller): Promise<Static<typeof AccessOut>[]> {
    const { db, sessions, lasting } = this.#parts;
    const listed: Access[] = (await sessions.list({ userId })).map(toAccess);
    for (const kind of lasting) listed.push(...(await kind.list(userId)));
    listed.push(...(await listIdentities(db, userId)).map(identityToAccess));
    return listed.map((access) => ({ ...access, current: access.id === sessionId }));
  }

  /** Returns how much ended. */
  async end(caller: SessionCaller, chosen: ChosenEnds, address: string): Promise<number> {
    const { db, audit, notices, sessions, lasting, forgetCodes, wakeUp } = this.#parts;
    const { userId, sessionId } = caller;
    const ended = await transact(db, async (trx) => {
      requireUser(await lockUser(trx, userId));
      await forgetCodes(trx, userId);
      let sum = chosen.sessions ? await sessions.endOthers(trx, caller) : 0;
      if (chosen.ids.length > 0) for (const kind of lasting) sum += await kind.end(trx, userId, chosen.ids);
      return sum;
    });
    audit.record('signed_out_everywhere', { result: 'ok', address, user_id: userId, ended });
    if (ended > 0) notices.send(userId, { kind: 'signed_out_everywhere', ended }, sessionId);
    wakeUp();
    return ended;
  }
}

const toAccess = ({ id, client_name, created_at, expires_at }: Session): Access => ({
  kind: 'session',
  id,
  name: client_name,
  detail: null,
  made_at: created_at,
  last_used_at: lastUsedAt({ expires_at }),
});

const identityToAccess = ({ id, issuer, created_at }: Identity): Access => ({
  kind: 'identity',
  id,
  name: null,
  detail: URL.parse(issuer)?.host ?? issuer,
  made_at: created_at,
  last_used_at: null,
});
