/** Sign-in through an identity provider, if one is configured: the browser goes there and returns with a token. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, type SignInResult, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { randomId } from '../data/random-id.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { inviteIn, type Provider, useSignInOptions, withInvite } from './sign-in-options.ts';

interface ProviderButtonProps {
  /** Where the person wants to go after signing in. */
  readonly next: string | undefined;
  readonly onSignedIn: (result: SignInResult, next: string | undefined) => Promise<void>;
}

export function ProviderButton({ next, onSignedIn }: ProviderButtonProps) {
  const provider = useSignInOptions()?.identity_provider;
  const navigate = useNavigate();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const response = takeResponse();
    // The provider returns to this page without `next`, which a second step or another try needs again.
    if (response?.next) void navigate({ to: '/sign-in', search: { next: response.next }, replace: true });
    if (response?.problem) setProblem(response.problem);
    if (!response?.token) return;
    const body = { identity_token: response.token };
    unwrap(api.POST('/v1/auth/idp', { body, ...withInvite(inviteIn(response.next)) }))
      .then((result) => onSignedIn(result, response.next))
      .catch((error: unknown) => setProblem(problemText(error)));
  }, [onSignedIn, navigate]);
  if (!provider && !problem) return null;
  const leave = async (to: Provider) => {
    const { nonce } = await unwrap(api.POST('/v1/auth/idp/request'));
    location.assign(authorizeUrl(to, nonce, next));
  };
  return (
    <>
      {problem && <Note tone="danger">{problem}</Note>}
      {provider && (
        <Button
          icon="person"
          onClick={() => void leave(provider).catch((error: unknown) => setProblem(problemText(error)))}
        >
          {strings.signIn.provider}
        </Button>
      )}
    </>
  );
}

interface ProviderResponse {
  readonly token?: string;
  readonly next?: string | undefined;
  readonly problem?: string;
}

/** The response is in the fragment, which no server sees; it is removed from the address at once. */
function takeResponse(): ProviderResponse | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('id_token') ?? undefined;
  const error = fragment.get('error') ?? undefined;
  if (token === undefined && error === undefined) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  const sent = JSON.parse(sessionStorage.getItem(REQUEST_KEY) ?? '{}') as Partial<SignInRequest>;
  sessionStorage.removeItem(REQUEST_KEY);
  // A response to no request of this browser could sign the user in to an attacker's account.
  const isExpected = sent.state !== undefined && fragment.get('state') === sent.state;
  if (token !== undefined && isExpected && nonceOf(token) === sent.nonce) return { token, next: sent.next };
  const problem = error === undefined ? strings.signIn.providerUnexpected : strings.signIn.providerRefused;
  return { problem, next: sent.next };
}

/** The service verifies the token; this only reads which request it answers. */
function nonceOf(token: string): unknown {
  try {
    const [, payload = ''] = token.split('.');
    return (JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { nonce?: unknown }).nonce;
  } catch {
    return null;
  }
}

const REQUEST_KEY = 'crescendo-provider-asked';

interface SignInRequest {
  readonly state: string;
  /** From the service, which accepts the token only from this browser. */
  readonly nonce: string;
  readonly next?: string | undefined;
}

function authorizeUrl(
  { authorize_url, client_id, response_type, scope }: Provider,
  nonce: string,
  next: string | undefined,
): string {
  const request: SignInRequest = { state: randomId(), nonce, next };
  sessionStorage.setItem(REQUEST_KEY, JSON.stringify(request));
  const url = new URL(authorize_url);
  const parameters = {
    client_id,
    response_type,
    scope,
    response_mode: 'form_post',
    state: request.state,
    nonce,
    redirect_uri: `${location.origin}/app/sign-in`,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
