/** The settings of sign-in with an identity provider. */
import {
  flag,
  integer,
  list,
  listOrJson,
  matching,
  oneOf,
  optional,
  type Setting,
  secret,
  signingKey,
  text,
  url,
  type ValuesOf,
  withDefault,
} from './setting.ts';

export const providerSettings = {
  IDP_ISSUER: withDefault('https://appleid.apple.com', url('http', 'https')),
  IDP_AUDIENCE: optional(list(/^\S+$/, 'client ids')),
  IDP_JWKS_URL: optional(url('http', 'https')),
  IDP_CLIENT_SECRET: optional(
    secret(matching(/^[\x21-\x7e]{1,2000}$/, "the client's secret, in ASCII without spaces")),
  ),
  IDP_CLIENT_KEY: optional(signingKey),
  IDP_CLIENT_AUTH: withDefault('auto', oneOf('auto', 'client_secret_basic', 'client_secret_post', 'private_key_jwt')),
  IDP_SCOPES: optional(
    matching(
      /^(?=(?:.* )?openid(?: |$))[\x21-\x7e]+(?: [\x21-\x7e]+)*$/,
      'scopes separated by spaces, openid among them',
    ),
  ),
  IDP_NAME: optional(matching(/^.{1,40}$/u, 'a name of at most 40 characters')),
  IDP_GROUPS_CLAIM: withDefault('groups', text('the name of a claim')),
  IDP_ALLOWED_GROUPS: optional(listOrJson(/\S/, 'names of groups')),
  IDP_ADMIN_GROUPS: optional(listOrJson(/\S/, 'names of groups')),
  IDP_EMAIL_TRUSTED: withDefault('false', flag),
  IDP_SIGN_UP: withDefault('true', flag),
  IDP_AUTO_REDIRECT: withDefault('false', flag),
  IDP_SESSION_DAYS: optional(integer(1, 90)),
  EMAIL_SIGN_IN: withDefault('true', flag),
} satisfies Record<string, Setting<unknown>>;

type ProviderConfig = ValuesOf<typeof providerSettings>;

export function findProviderContradictions({
  EMAIL_SIGN_IN,
  IDP_AUDIENCE,
  IDP_CLIENT_AUTH: auth,
  IDP_CLIENT_KEY,
  IDP_CLIENT_SECRET,
}: ProviderConfig): [isBroken: boolean, setting: keyof ProviderConfig, message: string][] {
  const lacks = (setting: string) => `${setting} is not set; IDP_CLIENT_AUTH=${auth} requires it.`;
  return [
    [
      !EMAIL_SIGN_IN && IDP_AUDIENCE === undefined,
      'EMAIL_SIGN_IN',
      'EMAIL_SIGN_IN is false; without an identity provider (IDP_AUDIENCE) nobody could sign in.',
    ],
    [auth === 'private_key_jwt' && IDP_CLIENT_KEY === undefined, 'IDP_CLIENT_KEY', lacks('IDP_CLIENT_KEY')],
    [
      auth.startsWith('client_secret') && IDP_CLIENT_SECRET === undefined,
      'IDP_CLIENT_SECRET',
      lacks('IDP_CLIENT_SECRET'),
    ],
  ];
}
