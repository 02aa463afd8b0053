/** Sign-in at an identity provider, where the service names one: the browser goes there and comes back with a token. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../api/call.ts';
import { api, read, type SignInResult } from '../api/client.ts';
import { wordsOf } from '../api/problem.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';

interface Provider {
  readonly authorize_url: string;
  readonly client_id: string;
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
    const token = takeToken();
    if (!token) return;
    read(api.POST('/v1/auth/idp', { body: { identity_token: token } }))
      .then(onSignedIn)
      .catch((error: unknown) => setProblem(wordsOf(error)));
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

/** The token comes in the fragment, which no server sees, and is wiped from the address at once. */
function takeToken(): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('id_token') ?? undefined;
  const isOurs = fragment.get('state') === sessionStorage.getItem(STATE);
  if (token === undefined) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return isOurs ? token : undefined;
}

const STATE = 'crescendo-provider-state';

function authorizeUrl({ authorize_url, client_id }: Provider): string {
  const state = crypto.randomUUID();
  sessionStorage.setItem(STATE, state);
  const url = new URL(authorize_url);
  const parameters = {
    ...{ client_id, state, nonce: crypto.randomUUID(), redirect_uri: `${location.origin}/app/sign-in` },
    ...{ response_type: 'code id_token', response_mode: 'fragment' },
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
