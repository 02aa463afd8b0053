/** Checks the identity provider: whether it is the one that IDP_ISSUER names, and whether it knows this service. */
import type { ServerMetadata } from 'openid-client';
import { composeProvider } from '../../compose/sign-in.ts';
import { baseUrlOf, type Config } from '../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { DiscoveryFault, isAppleIssuer } from '../../sign-in/provider/discovery.ts';
import type { RelyingParty } from '../../sign-in/provider/relying-party.ts';
import type { WebProvider } from '../../sign-in/provider/web-sign-in.service.ts';
import { type Check, type Finding, fault, fine, reasonOf, warning } from './check.ts';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export const identityProvider: Check = {
  name: 'identity provider',
  settings: ['IDP_ISSUER', 'IDP_AUDIENCE', 'IDP_JWKS_URL', 'IDP_CLIENT_SECRET', 'IDP_CLIENT_KEY', 'APPLE_CLIENT_KEY'],
  // Five calls, and each may take eight seconds.
  limitMs: 45_000,
  run: async ({ config, clock }) => {
    const web = composeProvider(config, clock);
    if (!web) return fine('sign-in with an identity provider is off');
    return (
      (await checkDiscovery(config, web)) ??
      (await checkKeys(config, web)) ??
      (await checkClient(config, clock, web)) ??
      checkSafety(config, web, await web.provider.discovery.get())
    );
  },
};

async function checkDiscovery({ IDP_ISSUER }: Config, { provider }: NonNullable<WebProvider>) {
  try {
    await provider.discovery.get();
    return undefined;
  } catch (error) {
    const cause = error instanceof AppError ? error.cause : error;
    if (cause instanceof DiscoveryFault) return describeFault(IDP_ISSUER, provider.discovery.address, cause);
    throw error;
  }
}

function describeFault(issuer: string, address: string, { kind, found, message, cause }: DiscoveryFault): Finding {
  if (kind === 'unreachable') {
    return fault(
      `no answer at ${address}: ${reasonOf(cause)}`,
      'Check IDP_ISSUER, and whether this machine may connect there and trusts its certificate.',
    );
  }
  if (kind === 'no_document' || found === undefined) {
    const says = `${message.replace(/\.$/, '')}, so IDP_ISSUER is not an issuer`;
    return fault(says, "Set IDP_ISSUER to what the provider's own pages call the issuer, or to its discovery address.");
  }
  const says = `IDP_ISSUER is ${issuer}, and the provider calls itself ${found}${differenceOf(issuer, found)}`;
  if (found.startsWith('http:') && issuer.startsWith('https:'))
    return fault(says, 'Tell the provider its https address: it does not trust the proxy in front of it.');
  return fault(says, `Set IDP_ISSUER=${found}`);
}

function differenceOf(issuer: string, found: string): string {
  if (found === `${issuer}/`) return ', with a slash at the end';
  return issuer === `${found}/` ? ', without a slash at the end' : '';
}

async function checkKeys({ IDP_ISSUER }: Config, { provider }: NonNullable<WebProvider>) {
  try {
    if ((await provider.reloadKeys()) > 0) return undefined;
    return fault(`${IDP_ISSUER} offers no keys`, 'Check IDP_JWKS_URL.');
  } catch (error) {
    return fault(
      `the keys of ${IDP_ISSUER} could not be fetched: ${reasonOf(error)}`,
      'Check IDP_ISSUER and IDP_JWKS_URL, and whether this machine may connect there.',
    );
  }
}

async function checkClient(config: Config, clock: Clock, { provider, relyingParty }: NonNullable<WebProvider>) {
  const { issuer, token_endpoint, response_types_supported } = await provider.discovery.get();
  if (!relyingParty.isUsable) {
    return warning(
      'apps can sign in with Apple, and the web app cannot',
      'Set APPLE_CLIENT_KEY, APPLE_CLIENT_KEY_ID and APNS_TEAM_ID: Apple asks web apps for a signed secret.',
    );
  }
  if (!token_endpoint || response_types_supported?.some((type) => type === 'code') === false) {
    return fault(
      `${issuer} does not offer the authorization code flow`,
      'Turn it on for this client at the provider (response type "code").',
    );
  }
  const refusal = await findRefusal(config, relyingParty, issuer);
  if (!refusal) return undefined;
  if (refusal.code !== 'identity_provider_refused')
    return fault(`no answer at ${token_endpoint}: ${reasonOf(refusal.cause)}`, 'Let this machine connect there.');
  const metadata = await provider.discovery.get();
  const refused = relyingParty.authMethod(metadata);
  const accepted = await findAcceptedAuth(config, clock, metadata, refused);
  if (accepted) {
    return fault(
      `the provider refuses the client ${config.IDP_AUDIENCE?.[0]} by ${refused}, and accepts it by ${accepted}`,
      `Set IDP_CLIENT_AUTH=${accepted}`,
    );
  }
  return describeRefusal(config, refusal);
}

/** Asks for tokens with a made-up code: a provider that knows this client answers that the code is wrong. */
async function findRefusal(config: Config, relyingParty: RelyingParty, issuer: string): Promise<AppError | undefined> {
  const redirectUri = `${baseUrlOf(config, config.PORT)}/app/sign-in`;
  const checks = { verifier: 'x'.repeat(43), state: 'doctor', nonce: 'doctor', redirectUri };
  const answer = new URLSearchParams({ code: 'not-a-code', state: checks.state, iss: issuer });
  return relyingParty.finish(answer, checks).then(
    () => undefined,
    (error: unknown) => (error instanceof AppError && error.code !== 'wrong_identity_token' ? error : undefined),
  );
}

const SECRET_WAYS = ['client_secret_basic', 'client_secret_post'] as const;

/** The other way to send the secret, if the provider names it, or names none, and accepts the client by it. */
async function findAcceptedAuth(config: Config, clock: Clock, metadata: ServerMetadata, refused: string) {
  if (config.IDP_CLIENT_SECRET === undefined) return undefined;
  const { issuer, token_endpoint_auth_methods_supported: offered = SECRET_WAYS } = metadata;
  for (const auth of SECRET_WAYS.filter((way) => way !== refused && offered.includes(way))) {
    const web = composeProvider(config, clock, auth);
    if (web && !(await findRefusal(config, web.relyingParty, issuer))) return auth;
  }
  return undefined;
}

function describeRefusal(
  { IDP_AUDIENCE, IDP_CLIENT_SECRET, IDP_CLIENT_KEY, IDP_CLIENT_AUTH }: Config,
  { cause }: AppError,
): Finding {
  const proof = IDP_CLIENT_KEY ? 'IDP_CLIENT_KEY' : 'IDP_CLIENT_SECRET';
  const isPublic = IDP_CLIENT_SECRET === undefined && IDP_CLIENT_KEY === undefined;
  return fault(
    `the provider does not accept the client ${IDP_AUDIENCE?.[0]} (${reasonOf(cause)})`,
    isPublic
      ? 'Put its client id first in IDP_AUDIENCE, and set IDP_CLIENT_SECRET unless it is a public client there.'
      : `Put its client id first in IDP_AUDIENCE, and check ${proof} and IDP_CLIENT_AUTH, which is ${IDP_CLIENT_AUTH}.`,
  );
}

/** Settings that work, and could be safer. */
function checkSafety({ IDP_ISSUER }: Config, { relyingParty }: NonNullable<WebProvider>, metadata: ServerMetadata) {
  const { issuer, code_challenge_methods_supported: methods } = metadata;
  const { protocol, hostname } = new URL(issuer);
  if (protocol === 'http:' && !LOOPBACK.test(hostname)) {
    return warning(
      `${issuer} has no TLS: who can read or change the traffic can sign in as anybody`,
      'Give the provider a certificate, and write https:// in IDP_ISSUER.',
    );
  }
  if (!isAppleIssuer(issuer) && !methods?.includes('S256')) {
    return warning(
      `${issuer} does not offer PKCE with S256, so a stolen code is protected by the nonce alone`,
      'Turn PKCE on for this client at the provider, or update the provider.',
    );
  }
  return fine(`${IDP_ISSUER} can be reached and knows this service, by ${relyingParty.authMethod(metadata)}`);
}
