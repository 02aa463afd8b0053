/** Sign-in through an identity provider, if one is configured: the browser goes there and returns with a code. */
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { call } from '../api/call.ts';
import type { SignInResult } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { cameFromProvider, leaveForSignIn, type ProviderReturn, takeProviderReturn } from '../data/provider-return.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { PROOF } from './proof-window.ts';
import { inviteIn, type Provider } from './sign-in-options.ts';

interface ProviderButtonProps {
  readonly provider: Provider | null;
  /** Where the person wants to go after signing in. */
  readonly next: string | undefined;
  /** Whether the person wants to see this screen even if it leads to the provider at once. */
  readonly stays: boolean;
  readonly variant: 'primary' | 'quiet';
  readonly onSignedIn: (result: SignInResult, next: string | undefined) => Promise<void>;
}

export function ProviderButton({ provider, next, stays, variant, onSignedIn }: ProviderButtonProps) {
  const { problem, busy, run } = useProviderReturn(onSignedIn);
  const leave = useCallback(
    () =>
      run(async () => {
        const { url, ticket } = await call<{ readonly url: string; readonly ticket: string }>(
          'POST',
          '/app/provider/begin',
        );
        leaveForSignIn(url, { ticket, next });
      }),
    [run, next],
  );
  // A window that was opened for a proof has nothing else to show.
  const leaves = next === PROOF || (provider?.auto_redirect === true && !stays);
  const leavesAtOnce = provider !== null && leaves && !cameFromProvider;
  useEffect(() => {
    if (leavesAtOnce) void leave();
  }, [leavesAtOnce, leave]);
  // A page that comes back from the browser's memory is still waiting to leave.
  useEffect(() => {
    const awake = ({ persisted }: PageTransitionEvent) => persisted && run(async () => undefined);
    addEventListener('pageshow', awake);
    return () => removeEventListener('pageshow', awake);
  }, [run]);
  return (
    <>
      {problem && <Note tone="danger">{problem}</Note>}
      {provider && (
        <Button icon="person" variant={variant} busy={busy} onClick={() => void leave()}>
          {strings.signIn.provider(provider.name)}
        </Button>
      )}
    </>
  );
}

/** Finishes the sign-in that the provider has just answered, and remembers what went wrong. */
function useProviderReturn(onSignedIn: ProviderButtonProps['onSignedIn']) {
  const navigate = useNavigate();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const run = useCallback(async (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    await work().catch((error: unknown) => setProblem(problemText(error)));
    setBusy(false);
  }, []);
  useEffect(() => {
    const returned = takeProviderReturn();
    if (!returned) return;
    const next = returned.signIn?.next;
    // The provider returns to this page without `next`, which a second step or another try needs again.
    void navigate({ to: '/sign-in', search: { stay: true, ...(next && { next }) }, replace: true });
    const refusal = refusalIn(returned);
    if (refusal) setProblem(refusal);
    else void run(async () => onSignedIn(await finish(returned), next));
  }, [onSignedIn, navigate, run]);
  return { problem, busy, run };
}

function refusalIn({ signIn, answer }: ProviderReturn): string | undefined {
  // An answer that this browser did not ask for could sign the user in to an attacker's account.
  if (!signIn) return strings.signIn.providerUnexpected;
  const error = new URLSearchParams(answer).get('error');
  if (error === null) return undefined;
  const isTheirs = error === 'server_error' || error === 'temporarily_unavailable';
  return isTheirs ? strings.signIn.providerDown : strings.signIn.providerRefused;
}

function finish({ signIn, answer }: ProviderReturn): Promise<SignInResult> {
  const invite = inviteIn(signIn?.next);
  const headers: HeadersInit = invite === undefined ? {} : { 'X-Invite': invite };
  return call<SignInResult>('POST', '/app/provider/finish', { ticket: signIn?.ticket, answer }, headers);
}
