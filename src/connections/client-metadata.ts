/**
 * Checks what an assistant says about itself, in a document at its own address or when it registers. Pure.
 */
import { plainName } from '../lib/plain-name.ts';
import { redirectKindOf } from './redirect-uri.ts';

/** How an assistant proves at the token endpoint that it is the one that made the request. */
export type ClientAuth = 'none' | 'client_secret_post' | 'client_secret_basic' | 'private_key_jwt';

export const CLIENT_AUTHS: readonly ClientAuth[] = [
  'none',
  'client_secret_post',
  'client_secret_basic',
  'private_key_jwt',
];

export interface Client {
  readonly id: string;
  /** The name that the assistant gives itself, without signs that could deceive; empty if nothing is left. */
  readonly name: string;
  /** The host of the document, which vouches for the name; null if nobody does. */
  readonly host: string | null;
  readonly redirectUris: readonly string[];
  readonly auths: readonly ClientAuth[];
  /** For a client with a document: its public keys, or their address. */
  readonly jwks?: { readonly keys: readonly object[] } | undefined;
  readonly jwksUri?: string | undefined;
}

/** The message is a whole sentence, for the person or for the author of the client. */
export class UnacceptableClient extends Error {
  override readonly name = 'UnacceptableClient';
  /** `unreachable` may be temporary. */
  readonly kind: 'metadata' | 'redirect' | 'unreachable';

  constructor(message: string, kind: UnacceptableClient['kind'] = 'metadata') {
    super(message);
    this.kind = kind;
  }
}

const MOST_REDIRECTS = 10;

function readRedirectUris(value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_REDIRECTS)
    throw new UnacceptableClient(`redirect_uris has to be a list of 1 to ${MOST_REDIRECTS} addresses.`, 'redirect');
  for (const uri of value) {
    if (typeof uri !== 'string' || redirectKindOf(uri) === undefined)
      throw new UnacceptableClient(
        'redirect_uris may hold https addresses, http on localhost, and schemes of apps with a host.',
        'redirect',
      );
  }
  return value as string[];
}

const LONGEST_NAME = 200;
const readName = (value: unknown): string => (typeof value === 'string' ? plainName(value.slice(0, LONGEST_NAME)) : '');

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** A document at `id`, as it was fetched. */
export function readDocument(id: string, document: unknown): Client {
  if (typeof document !== 'object' || document === null)
    throw new UnacceptableClient('Its description is not a JSON object.');
  const fields = document as Readonly<Record<string, unknown>>;
  if (fields.client_id !== id)
    throw new UnacceptableClient('The client_id in its description is not the address of the description.');
  if ('client_secret' in fields || 'client_secret_expires_at' in fields)
    throw new UnacceptableClient('Its description holds a client secret, which everybody can read there.');
  const named = texts(fields.token_endpoint_auth_methods_supported);
  if (typeof fields.token_endpoint_auth_method === 'string') named.push(fields.token_endpoint_auth_method);
  // A public document cannot share a secret with us.
  const auths = CLIENT_AUTHS.filter(
    (auth) =>
      (auth === 'none' || auth === 'private_key_jwt') && (named.length === 0 ? auth === 'none' : named.includes(auth)),
  );
  if (auths.length === 0)
    throw new UnacceptableClient('Its description names no way to show who it is that is accepted here.');
  // A useless address is never used, and hides no other, so it need not refuse the client.
  const redirectUris = texts(fields.redirect_uris).filter((uri) => redirectKindOf(uri) !== undefined);
  if (redirectUris.length === 0)
    throw new UnacceptableClient('Its description names no address that a code can be sent to.');
  const { jwks, jwks_uri } = fields as { jwks?: { keys?: unknown }; jwks_uri?: unknown };
  return {
    id,
    name: readName(fields.client_name),
    host: new URL(id).host,
    redirectUris,
    auths,
    ...(Array.isArray(jwks?.keys) && { jwks: { keys: jwks.keys as object[] } }),
    ...(typeof jwks_uri === 'string' && { jwksUri: jwks_uri }),
  };
}

export type Registration = Pick<Client, 'name' | 'redirectUris'> & {
  readonly auth: Exclude<ClientAuth, 'private_key_jwt'>;
};

/** A registration (RFC 7591). Unknown fields are ignored; without a named method, the client has none. */
export function readRegistration(body: unknown): Registration {
  if (typeof body !== 'object' || body === null) throw new UnacceptableClient('The body has to be a JSON object.');
  const fields = body as Readonly<Record<string, unknown>>;
  const grants = texts(fields.grant_types);
  if (grants.length > 0 && !grants.includes('authorization_code'))
    throw new UnacceptableClient('grant_types has to contain authorization_code.');
  const responses = texts(fields.response_types);
  if (responses.length > 0 && !responses.includes('code'))
    throw new UnacceptableClient('response_types has to contain code.');
  const auth = fields.token_endpoint_auth_method ?? 'none';
  if (auth !== 'none' && auth !== 'client_secret_post' && auth !== 'client_secret_basic')
    throw new UnacceptableClient(
      'token_endpoint_auth_method has to be none, client_secret_post or client_secret_basic; keys belong in a client metadata document.',
    );
  return { name: readName(fields.client_name), redirectUris: readRedirectUris(fields.redirect_uris), auth };
}
