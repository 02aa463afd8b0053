import type { Person } from '../accounts/people.store.ts';
import { lastUsedAt } from '../accounts/session-lifetime.ts';
import type { SessionsService } from '../accounts/sessions.service.ts';
import type { Session } from '../accounts/sessions.store.ts';
import { AppError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { type Command, CommandError, type Report, UsageError } from './command.ts';
import { accountsAt, COMMAND_LINE, withDatabase } from './desk.ts';
import { getPerson, nameOf } from './people.ts';
import { tableOf } from './table.ts';

export const userSessions: Command = {
  parameters: ['ID|EMAIL'],
  summary: "Show somebody's sessions, or end them",
  explanation:
    'Shows when each was opened and, to the day, last used; the token itself is not stored anywhere. Whoever had a\n' +
    'session that is revoked must sign in again. Access tokens are not touched. Works while the service runs.',
  options: { revoke: { type: 'string', about: 'The id of the session to end, or "all"' } },
  async run(call) {
    const { revoke } = call.options;
    const [reference = ''] = call.given;
    if (typeof revoke === 'string' && revoke !== 'all' && !isUuid(revoke))
      throw new UsageError('--revoke wants the id of a session, or "all".');
    return withDatabase(call, async (db) => {
      const person = await getPerson(db, reference);
      const { sessions } = await accountsAt(call, db);
      if (typeof revoke === 'string') return revokeFor(person, sessions, revoke.toLowerCase());
      return listed(person, await sessions.list({ userId: person.id }));
    });
  },
};

function listed(person: Person, sessions: readonly Session[]): Report {
  const shown = sessions.map((session) => ({
    ...{ id: session.id, created_at: session.created_at, expires_at: session.expires_at },
    last_used_at: lastUsedAt(session),
  }));
  const rows = shown.map(({ id, created_at, last_used_at, expires_at }) => [
    ...[id, created_at.toISOString(), last_used_at.toISOString().slice(0, 10), expires_at.toISOString()],
  ]);
  const text = rows.length === 0 ? 'No session is open.' : tableOf([['id', 'opened', 'last used', 'ends'], ...rows]);
  return { data: { user_id: person.id, email: person.email, sessions: shown }, text: `${nameOf(person)}\n${text}` };
}

async function revokeFor(person: Person, sessions: SessionsService, which: string): Promise<Report> {
  const owner = { userId: person.id };
  const revoked =
    which === 'all' ? await sessions.revokeAll(owner, COMMAND_LINE) : await revokeOne(person, sessions, which);
  const text = `${revoked === 1 ? 'One session' : `${revoked} sessions`} of ${nameOf(person)} ended.`;
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
