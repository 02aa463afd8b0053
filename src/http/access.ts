/**
 * Who may call which route. This table is the single source: every request is checked against it, the API
 * description shows it per operation, and the service does not start if a route is missing from it.
 */
import type { Scope } from '../lib/caller.ts';

/** Anyone; only a session; only the session of an administrator; only an access token; or a session and access tokens with the scope. */
export type Access = 'anyone' | 'session' | 'admin' | 'token' | Scope;

export type AccessTable = Readonly<Record<string, Access>>;

export const accessTable: AccessTable = {
  'GET /': 'anyone',
  'GET /app': 'anyone',
  'GET /app/*': 'anyone',
  'GET /app/sign-in-options': 'anyone',
  'POST /app/sign-in': 'anyone',
  'POST /app/provider/begin': 'anyone',
  'POST /app/provider/finish': 'anyone',
  'GET /app/provider/sign-out': 'session',
  // Checked by the route: the identity provider calls it, with a token that it signed.
  'POST /app/provider/sign-out': 'anyone',
  // The route refuses every session but that of the app's cookie.
  'GET /app/live': 'session',
  'GET /app/session': 'session',
  'POST /app/session': 'session',
  'DELETE /app/session': 'anyone',
  'GET /guide': 'anyone',
  'GET /llms.txt': 'anyone',
  'GET /robots.txt': 'anyone',
  'GET /favicon.ico': 'anyone',
  'GET /favicon.svg': 'anyone',
  'GET /apple-touch-icon.png': 'anyone',
  'GET /apple-touch-icon-precomposed.png': 'anyone',
  'GET /.well-known/*': 'anyone',
  'OPTIONS /.well-known/*': 'anyone',
  'GET /docs*': 'anyone',
  'GET /openapi.json': 'anyone',
  'GET /health': 'anyone',
  'GET /health/live': 'anyone',
  'GET /health/ready': 'anyone',
  // Checked by the route: METRICS_TOKEN belongs to no account.
  'GET /metrics': 'anyone',

  'GET /mcp': 'token',
  'POST /mcp': 'token',
  'DELETE /mcp': 'token',
  'GET /mcp/all': 'token',
  'POST /mcp/all': 'token',
  'DELETE /mcp/all': 'token',
  'OPTIONS /mcp': 'anyone',
  'OPTIONS /mcp/all': 'anyone',

  // Checked by the routes: an assistant shows its code or refresh token, and who it is.
  'GET /oauth/authorize': 'anyone',
  'POST /oauth/register': 'anyone',
  'POST /oauth/token': 'anyone',
  'POST /oauth/revoke': 'anyone',
  'OPTIONS /oauth/*': 'anyone',

  'POST /v1/auth/idp': 'anyone',
  'POST /v1/auth/idp/request': 'anyone',
  'POST /v1/auth/email/request': 'anyone',
  'POST /v1/auth/email/verify': 'anyone',
  'POST /v1/auth/mfa/verify': 'anyone',
  'DELETE /v1/auth/session': 'session',
  'POST /v1/auth/session/proof': 'session',
  'GET /v1/auth/sessions': 'session',
  'GET /v1/auth/sessions/names': 'session',
  'PATCH /v1/auth/sessions/names/:session_id': 'session',
  'DELETE /v1/auth/sessions/:session_id': 'session',
  'POST /v1/auth/mfa/enroll': 'session',
  'POST /v1/auth/mfa/enroll/confirm': 'session',
  'GET /v1/auth/mfa': 'session',
  'POST /v1/auth/mfa/disable': 'session',

  'POST /v1/auth/passkey/begin': 'anyone',
  'POST /v1/auth/passkey': 'anyone',
  'GET /v1/passkeys': 'session',
  'POST /v1/passkeys/begin': 'session',
  'POST /v1/passkeys': 'session',
  'PATCH /v1/passkeys/:passkey_id': 'session',
  'DELETE /v1/passkeys/:passkey_id': 'session',

  'POST /v1/tokens': 'session',
  'GET /v1/tokens': 'session',
  'DELETE /v1/tokens/:token_id': 'session',
  'POST /v1/connections/preview': 'session',
  'POST /v1/connections': 'session',

  'POST /v1/devices': 'session',
  'GET /v1/devices': 'session',
  'DELETE /v1/devices/:device_id': 'session',
  'POST /v1/devices/la-token': 'session',
  'POST /v1/devices/ping': 'session',
  'POST /v1/devices/test-push': 'session',
  'GET /v1/devices/vapid-key': 'session',
  'POST /v1/deliveries/ack': 'session',
  'POST /v1/tasks/:task_id/la-token': 'session',

  'GET /v1/channels': 'tasks:read',
  'PATCH /v1/channels': 'session',
  'POST /v1/channels': 'session',
  'GET /v1/channels/kinds': 'session',
  'PATCH /v1/channels/:channel_id': 'session',
  'DELETE /v1/channels/:channel_id': 'session',
  'POST /v1/channels/:channel_id/verify': 'session',
  'POST /v1/channels/:channel_id/test': 'session',
  // The token in the path is the permission.
  'GET /a/:token': 'anyone',
  'POST /a/:token': 'anyone',
  // Checked by the provider of the channel, each in its own way.
  'POST /v1/hooks/:provider': 'anyone',
  'GET /v1/hooks/:provider/:token': 'anyone',
  'POST /v1/hooks/:provider/:token': 'anyone',

  'GET /v1/tasks': 'tasks:read',
  'POST /v1/tasks': 'tasks:write',
  'GET /v1/tasks/:task_id': 'tasks:read',
  'PATCH /v1/tasks/:task_id': 'tasks:write',
  'GET /v1/tasks/search': 'tasks:read',
  'POST /v1/tasks/:task_id/move': 'tasks:write',
  'POST /v1/tasks/:task_id/complete': 'tasks:write',
  'POST /v1/tasks/:task_id/snooze': 'tasks:write',
  'POST /v1/tasks/:task_id/skip': 'tasks:write',
  'POST /v1/tasks/:task_id/drop': 'tasks:write',
  'POST /v1/tasks/:task_id/accept': 'tasks:write',
  'POST /v1/tasks/:task_id/decline': 'tasks:write',
  'POST /v1/tasks/:task_id/reopen': 'tasks:write',
  'DELETE /v1/tasks/:task_id/assigner': 'tasks:write',
  'GET /v1/tasks/:task_id/forecast': 'tasks:read',
  'GET /v1/tasks/:task_id/timeline': 'tasks:read',
  'POST /v1/tasks/:task_id/timeline/:entry_id/restore': 'tasks:write',
  'GET /v1/sync': 'tasks:read',
  'GET /v1/outcomes': 'tasks:read',
  'GET /v1/outcomes/missed': 'tasks:read',
  'GET /v1/stats': 'tasks:read',

  'POST /v1/spaces': 'session',
  'GET /v1/spaces': 'session',
  'PATCH /v1/spaces/:space_id': 'session',
  'GET /v1/spaces/:space_id/members': 'session',
  'DELETE /v1/spaces/:space_id/members/:user_id': 'session',
  'DELETE /v1/spaces/:space_id/membership': 'session',
  'POST /v1/spaces/:space_id/invites': 'session',
  'GET /v1/spaces/:space_id/invites': 'session',
  'DELETE /v1/spaces/:space_id/invites/:invite_id': 'session',
  'GET /v1/invites/:token': 'session',
  'POST /v1/invites/:token/accept': 'session',
  'GET /v1/spaces/:space_id/tasks': 'session',
  'GET /v1/spaces/:space_id/tasks/:task_id': 'session',

  'GET /v1/me': 'tasks:read',
  'PATCH /v1/me': 'session',
  'DELETE /v1/me': 'session',
  'POST /v1/me/pause': 'settings:write',
  'DELETE /v1/me/pause': 'settings:write',
  'POST /v1/me/pause/ack': 'settings:write',
  'GET /v1/me/pause/planned': 'tasks:read',
  'PUT /v1/me/pause/planned': 'settings:write',
  'DELETE /v1/me/pause/planned': 'settings:write',

  // For whoever is about to be the first administrator: the word is in the terminal of the service.
  'POST /v1/claim': 'session',
  'GET /v1/admin': 'admin',
  'PATCH /v1/admin/sign-up': 'admin',
  'GET /v1/admin/health': 'admin',
  'GET /v1/admin/people': 'admin',
  'GET /v1/admin/people/:user_id': 'admin',
  'POST /v1/admin/people/:user_id/suspend': 'admin',
  'POST /v1/admin/people/:user_id/lift': 'admin',
  'DELETE /v1/admin/people/:user_id': 'admin',
  'DELETE /v1/admin/people/:user_id/sessions': 'admin',
  'GET /v1/admin/invitations': 'admin',
  'POST /v1/admin/invitations': 'admin',
  'DELETE /v1/admin/invitations/:invitation_id': 'admin',

  // Checked by the route: the Authorization header holds the secret of the billing provider.
  'POST /v1/webhooks/billing': 'anyone',
  'GET /v1/me/access': 'session',
  'POST /v1/me/access/end': 'session',
  'GET /v1/me/export': 'session',
  'POST /v1/me/import': 'session',
  'GET /v1/me/calendar': 'session',
  'POST /v1/me/calendar': 'session',
  'DELETE /v1/me/calendar': 'session',
  'GET /calendar/:token.ics': 'anyone',
};

/** A key that ends in `*` matches every path that starts with it. HEAD has the access of GET. */
export function findAccess(table: AccessTable, method: string, url: string): Access | undefined {
  const key = `${method === 'HEAD' ? 'GET' : method} ${url}`;
  const wildcard = Object.keys(table).find((entry) => entry.endsWith('*') && key.startsWith(entry.slice(0, -1)));
  return table[key] ?? (wildcard === undefined ? undefined : table[wildcard]);
}
