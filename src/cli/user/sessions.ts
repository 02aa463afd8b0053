import type { Person } from '../../admin/people.store.ts';
import { AppError } from '../../lib/errors.ts';
import { isUuid } from '../../lib/ids.ts';
import { lastUsedAt } from '../../lib/session-lifetime.ts';
import type { SessionsService } from '../../sign-in/sessions.service.ts';
import type { Session } from '../../sign-in/sessions.store.ts';
import { COMMAND_LINE, composeAccounts } from '../account-admin.ts';
import { type Command, CommandError, type Report, UsageError } from '../command.ts';
import { formatTable } from '../table.ts';
import { nameOf, withPerson } from './people.ts';

export const userSessions: Command = {
  parameters: ['ID|EMAIL'],
  summary: 'Show the sessions of a user, or end them',
  explanation:
    'Shows what signed in, when each session was opened and on which day it was last used. Session tokens are not stored and cannot\n' +
    'be shown. A user must sign in again after a session is revoked. Access tokens are not changed. Works while the\n' +
    'service runs.',
  options: { revoke: { type: 'string', about: 'The id of the session to end, or "all"' } },
  async run(call) {
    const { revoke } = call.options;
    if (typeof revoke === 'string' && revoke !== 'all' && !isUuid(revoke))
      throw new UsageError('--revoke must be the id of a session, or "all".');
    return withPerson(call, async (person, db) => {
      const { sessions } = composeAccounts(call, db);
      if (typeof revoke === 'string') return revokeSessions(person, sessions, revoke.toLowerCase());
      return reportSessions(person, await sessions.list({ userId: person.id }));
    });
  },
};

function reportSessions(person: Person, sessions: readonly Session[]): Report {
  const shown = sessions.map((session) => ({
    id: session.id,
    created_at: session.created_at,
    expires_at: session.expires_at,
    last_used_at: lastUsedAt(session),
    name: session.client_name,
  }));
  const rows = shown.map(({ id, created_at, last_used_at, expires_at, name }) => [
    id,
    name ?? '–',
    created_at.toISOString(),
    last_used_at.toISOString().slice(0, 10),
    expires_at.toISOString(),
  ]);
  const text =
    rows.length === 0
      ? 'No open sessions.'
      : formatTable([['id', 'signed in with', 'opened', 'last used', 'ends'], ...rows]);
  return { data: { user_id: person.id, email: person.email, sessions: shown }, text: `${nameOf(person)}\n${text}` };
}

async function revokeSessions(person: Person, sessions: SessionsService, which: string): Promise<Report> {
  const owner = { userId: person.id };
  const revoked =
    which === 'all' ? await sessions.revokeAll(owner, COMMAND_LINE) : await revokeOne(person, sessions, which);
  const text = `Ended ${revoked === 1 ? 'one session' : `${revoked} sessions`} of ${nameOf(person)}.`;
  return { data: { user_id: person.id, email: person.email, revoked }, text };
}

async function revokeOne(person: Person, sessions: SessionsService, id: string): Promise<1> {
  try {
    await sessions.revoke({ userId: person.id }, id, COMMAND_LINE);
    return 1;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw new CommandError(`${nameOf(person)} has no session ${id}.`);
  }
}
