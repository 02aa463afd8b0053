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
    const came = takeAnswer();
    if (came?.problem) setProblem(came.problem);
    if (!came?.token) return;
    read(api.POST('/v1/auth/idp', { body: { identity_token: came.token } }))
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

interface Answer {
  readonly token?: string;
  readonly problem?: string;
}

/** It comes in the fragment, which no server sees, and is wiped from the address at once. */
function takeAnswer(): Answer | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('id_token') ?? undefined;
  const refusal = fragment.get('error') ?? undefined;
  if (token === undefined && refusal === undefined) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  const asked = JSON.parse(sessionStorage.getItem(ASKED) ?? '{}') as Partial<Asked>;
  sessionStorage.removeItem(ASKED);
  // An answer that nobody here asked for would sign this person in as somebody else.
  const isAsked = asked.state !== undefined && fragment.get('state') === asked.state;
  if (token !== undefined && isAsked && nonceOf(token) === asked.nonce) return { token };
  return { problem: refusal === undefined ? strings.signIn.providerStrange : strings.signIn.providerRefused };
}

/** The service checks the token itself; this is only about whom it was issued for. */
function nonceOf(token: string): unknown {
  try {
    const [, payload = ''] = token.split('.');
    return (JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { nonce?: unknown }).nonce;
  } catch {
    return null;
  }
}

const ASKED = 'crescendo-provider-asked';

interface Asked {
  readonly state: string;
  readonly nonce: string;
}

function authorizeUrl({ authorize_url, client_id, response_type, scope }: Provider): string {
  const asked: Asked = { state: crypto.randomUUID(), nonce: crypto.randomUUID() };
  sessionStorage.setItem(ASKED, JSON.stringify(asked));
  const url = new URL(authorize_url);
  const parameters = {
    ...{ client_id, response_type, scope, response_mode: 'form_post' },
    ...{ ...asked, redirect_uri: `${location.origin}/app/sign-in` },
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
