/**
 * What an assistant asks for when it sends a person to the consent page. Pure.
 *
 * A faulty request is shown to the person and never answered to the address it names: that may be the attacker's
 * address.
 */
import { SCOPES, type Scope } from '../lib/caller.ts';

export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly state: string | undefined;
  /** The scopes it asks for that exist; reading and writing tasks if it asks for none of them. */
  readonly scopes: readonly Scope[];
}

/** The message is a whole sentence for the person. */
export class WrongRequest extends Error {
  override readonly name = 'WrongRequest';
}

const DEFAULT_SCOPES: readonly Scope[] = ['tasks:read', 'tasks:write'];
const CHALLENGE = /^[\w-]{43}$/;
const LONGEST_STATE = 2_048;

export function readAuthorizationRequest(
  query: string,
  isOwnResource: (resource: string) => boolean,
): AuthorizationRequest {
  const parameters = new URLSearchParams(query);
  if (hasRepeatedParameter(parameters)) throw new WrongRequest('The request of the assistant names something twice.');
  const clientId = parameters.get('client_id') ?? '';
  const redirectUri = parameters.get('redirect_uri') ?? '';
  if (clientId === '') throw new WrongRequest('The request does not say which assistant it comes from.');
  if (redirectUri === '') throw new WrongRequest('The request does not say where to send the answer.');
  if (parameters.get('response_type') !== 'code')
    throw new WrongRequest('The assistant asks for a kind of answer that is not given here (response_type).');
  const challenge = parameters.get('code_challenge') ?? '';
  if (parameters.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge))
    throw new WrongRequest('The assistant does not protect its code (PKCE with S256).');
  if (!parameters.getAll('resource').every(isOwnResource))
    throw new WrongRequest('The assistant wants to connect to another service (resource).');
  const state = parameters.get('state') ?? undefined;
  if ((state?.length ?? 0) > LONGEST_STATE) throw new WrongRequest('The request of the assistant is too long.');
  return { clientId, redirectUri, challenge, state, scopes: readScopes(parameters.get('scope') ?? '') };
}

/** Two readers may read a repeated parameter differently. RFC 8707 allows several resources. */
export function hasRepeatedParameter(parameters: URLSearchParams): boolean {
  // Strangers send thousands of names: looking each one up would block the event loop.
  const names = [...parameters.keys()].filter((name) => name !== 'resource');
  return new Set(names).size < names.length;
}

/** Unknown scopes such as `offline_access` are ignored: refusing them would refuse clients that always send them. */
function readScopes(text: string): readonly Scope[] {
  const asked = text.split(' ');
  const known = SCOPES.filter((scope) => asked.includes(scope));
  return known.length === 0 ? DEFAULT_SCOPES : known;
}

/** Compared as addresses: the case of the host, a slash at the end, and the bare origin make no difference. */
export function isResourceOf(base: string, resource: string): boolean {
  const [asked, own] = [URL.parse(resource), URL.parse(base)];
  if (!asked || !own || asked.origin !== own.origin || asked.search !== '' || asked.hash !== '') return false;
  if (asked.username !== '' || asked.password !== '') return false;
  return ['', '/mcp', '/mcp/all'].includes(asked.pathname.replace(/\/$/, ''));
}
