/** Sign-in through an identity provider, if one is configured: the browser goes there and returns with a token. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../api/call.ts';
import { api, type SignInResult, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { randomId } from '../data/random-id.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';

interface Provider {
  readonly authorize_url: string;
  readonly client_id: string;
  readonly response_type: string;
  readonly scope: string;
}

const useProvider = () =>
  useQuery({
    queryKey: ['identity-provider'],
    queryFn: () => call<{ identity_provider: Provider | null }>('GET', '/app/sign-in-options'),
    retry: false,
  });

export function ProviderButton({ onSignedIn }: { readonly onSignedIn: (result: SignInResult) => Promise<void> }) {
  const { data } = useProvider();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const response = takeResponse();
    if (response?.problem) setProblem(response.problem);
    if (!response?.token) return;
    unwrap(api.POST('/v1/auth/idp', { body: { identity_token: response.token } }))
      .then(onSignedIn)
      .catch((error: unknown) => setProblem(problemText(error)));
  }, [onSignedIn]);
  const provider = data?.identity_provider;
  if (!provider && !problem) return null;
  return (
    <>
      {problem && <Note tone="danger">{problem}</Note>}
      {provider && (
        <Button icon="person" onClick={() => location.assign(authorizeUrl(provider))}>
          {strings.signIn.provider}
        </Button>
      )}
    </>
  );
}

interface ProviderResponse {
  readonly token?: string;
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
  if (token !== undefined && isExpected && nonceOf(token) === sent.nonce) return { token };
  return { problem: error === undefined ? strings.signIn.providerUnexpected : strings.signIn.providerRefused };
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
  readonly nonce: string;
}

function authorizeUrl({ authorize_url, client_id, response_type, scope }: Provider): string {
  const request: SignInRequest = { state: randomId(), nonce: randomId() };
  sessionStorage.setItem(REQUEST_KEY, JSON.stringify(request));
  const url = new URL(authorize_url);
  const parameters = {
    client_id,
    response_type,
    scope,
    response_mode: 'form_post',
    ...request,
    redirect_uri: `${location.origin}/app/sign-in`,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
