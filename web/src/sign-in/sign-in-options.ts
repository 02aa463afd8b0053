/** What the service says about signing in: its identity provider, and who gets a new account. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';

export interface Provider {
  /** Null if the operator gave it none. */
  readonly name: string | null;
  /** Whether this screen leads to the provider at once. */
  readonly auto_redirect: boolean;
}

interface SignInOptions {
  readonly identity_provider: Provider | null;
  readonly email: boolean;
  readonly mail: 'smtp' | 'printed' | 'off';
  readonly sign_up: 'open' | 'invite' | 'domains';
  readonly passkey_origin: string | null;
}

export const useSignInOptionsQuery = () =>
  useQuery({
    queryKey: ['sign-in-options'],
    queryFn: () => call<SignInOptions>('GET', '/app/sign-in-options'),
    retry: false,
  });

export const useSignInOptions = () => useSignInOptionsQuery().data;

/** The token of the invitation that led here: a person without an account opens its link and signs in first. */
export const inviteIn = (next: string | undefined): string | undefined =>
  /^\/invites\/([\w-]{1,128})$/.exec(next ?? '')?.[1];

/** Where sign-up is by invitation, the service admits a new account that comes with this header. */
export const withInvite = (invite: string | undefined) =>
  invite === undefined ? {} : { params: { header: { 'x-invite': invite } } };
