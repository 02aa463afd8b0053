import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { api, type SignInResult, unwrap } from '../api/client.ts';
import { beginSession } from '../data/session.ts';
import { usePasskeyPlace } from '../passkeys/place.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Field, Note } from '../ui/field.tsx';
import { Wordmark } from '../ui/icons.tsx';
import { setScreenTitle } from '../ui/tab-title.ts';
import { CodeField, useSubmit } from './code-field.tsx';
import { PasskeyButton } from './passkey.tsx';
import { PROOF } from './proof-window.ts';
import { ProviderButton } from './provider.tsx';
import { inviteIn, useSignInOptions, useSignInOptionsQuery, withInvite } from './sign-in-options.ts';

type Step =
  | { readonly name: 'email' }
  | { readonly name: 'code'; readonly email: string }
  | { readonly name: 'factor'; readonly mfaToken: string; readonly isMailed: boolean }
  | { readonly name: 'offer' }
  /** Shown if the browser does not let the window close itself. */
  | { readonly name: 'proven' };

const loadOffer = () => import('../passkeys/offer.tsx');
const PasskeyOffer = lazy(async () => ({ default: (await loadOffer()).PasskeyOffer }));

export function SignIn() {
  const [step, setStep] = useState<Step>({ name: 'email' });
  const { next, ended, stay } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  useEffect(() => {
    setScreenTitle(strings.pageTitle(strings.signIn.title));
  }, []);
  const invite = inviteIn(next);
  const leave = useCallback(
    (destination = next) => {
      const [to = '/', query] = (destination ?? '/').split('?');
      return navigate({ to, search: Object.fromEntries(new URLSearchParams(query)), replace: true });
    },
    [navigate, next],
  );
  const canHavePasskey = usePasskeyPlace() === 'here';
  const proceed = useCallback(
    async (result: SignInResult, destination = next, isMailed = false) => {
      if (result.status === 'mfa_required')
        return setStep({ name: 'factor', mfaToken: result.mfa_token ?? '', isMailed });
      if (destination === PROOF) {
        (await import('./prove.tsx')).finishInWindow(result);
        return setStep({ name: 'proven' });
      }
      await beginSession(result);
      // Only if the person waited for a mail, has used the app before, and is not on the way to another screen.
      const isOffered = canHavePasskey && isMailed && !result.created && next === undefined;
      const takesOffer =
        isOffered &&
        (await loadOffer()
          .then(({ takePasskeyOffer }) => takePasskeyOffer())
          .catch(() => false));
      return takesOffer ? setStep({ name: 'offer' }) : leave(destination);
    },
    [leave, next, canHavePasskey],
  );
  const proceedMailed = (result: SignInResult) => proceed(result, next, true);
  return (
    <main className="grid min-h-dvh lg:grid-cols-[1.1fr_1fr]">
      <Poster />
      <div className="flex flex-col justify-center px-5 py-10 sm:px-12">
        <div className="mx-auto w-full max-w-sm">
          <div className="mb-10 lg:hidden">
            <Wordmark className="text-3xl" />
          </div>
          {ended && step.name === 'email' && (
            <div className="mb-6">
              <Note>{strings.signIn.ended}</Note>
            </div>
          )}
          {step.name === 'email' && (
            <EmailStep
              next={next}
              stays={stay === true || ended === true}
              onSent={(email) => setStep({ name: 'code', email })}
              onSignedIn={proceed}
            />
          )}
          {step.name === 'code' && (
            <CodeStep
              email={step.email}
              invite={invite}
              onBack={() => setStep({ name: 'email' })}
              onVerified={proceedMailed}
            />
          )}
          {step.name === 'factor' && (
            <FactorStep mfaToken={step.mfaToken} onVerified={step.isMailed ? proceedMailed : proceed} />
          )}
          {step.name === 'proven' && <Note tone="good">{strings.signIn.proven}</Note>}
          {step.name === 'offer' && (
            <Suspense>
              <PasskeyOffer onDone={() => void leave()} />
            </Suspense>
          )}
        </div>
      </div>
    </main>
  );
}

/** Decoration: a row of bars that grows like a crescendo. */
function Poster() {
  const bars = Array.from({ length: 19 }, (_, bar) => bar);
  return (
    <div className="relative hidden overflow-hidden bg-card text-ink scheme-dark lg:flex lg:flex-col lg:justify-between lg:p-14">
      <Wordmark className="text-3xl" />
      <svg viewBox="0 0 400 240" className="w-full" aria-hidden="true">
        {bars.map((bar) => {
          const height = 6 + (bar / 18) ** 1.9 * 200;
          const hue = bar < 6 ? '--color-stage-0' : bar < 13 ? '--color-stage-1' : '--color-stage-2';
          return (
            <rect key={bar} x={bar * 21} y={120 - height / 2} width="9" height={height} rx="4.5" fill={`var(${hue})`} />
          );
        })}
      </svg>
      <p className="max-w-md font-serif text-2xl leading-snug">{strings.tagline}</p>
    </div>
  );
}

/** Who gets a new account here, in words; nothing until the service has said it. */
function SignUpNote({ invite }: { readonly invite: string | undefined }) {
  const policy = useSignInOptions()?.sign_up;
  const words = strings.signIn.signUp;
  if (policy === undefined) return null;
  return policy === 'invite' && invite !== undefined ? words.invited : words[policy];
}

interface EmailStepProps {
  readonly next: string | undefined;
  /** Whether the screen stays, even if it usually leads to the identity provider. */
  readonly stays: boolean;
  readonly onSent: (email: string) => void;
  readonly onSignedIn: (result: SignInResult, next: string | undefined) => Promise<void>;
}

function EmailStep({ next, stays, onSent, onSignedIn }: EmailStepProps) {
  const [email, setEmail] = useState('');
  const [isByEmail, setByEmail] = useState(false);
  const { data: options, isPending } = useSignInOptionsQuery();
  const provider = options?.identity_provider ?? null;
  const isEmailOn = options?.email ?? !isPending;
  const showsEmail = isEmailOn && (isByEmail || !provider);
  const invite = inviteIn(next);
  const { problem, busy, run } = useSubmit();
  const send = run(async () => {
    await unwrap(api.POST('/v1/auth/email/request', { body: { email: email.trim() }, ...withInvite(invite) }));
    onSent(email.trim());
  });
  return (
    <form onSubmit={send} className="grid gap-5">
      <div>
        <h1 className="text-3xl">{strings.signIn.title}</h1>
        <p className="mt-2 text-soft">
          {showsEmail && strings.signIn.lead} <SignUpNote invite={invite} />
        </p>
      </div>
      {showsEmail && (
        <>
          <Field
            label={strings.signIn.email}
            type="email"
            name="email"
            autoComplete="email webauthn"
            inputMode="email"
            required
            // After a click on "Sign in with email instead", which only shows this field.
            autoFocus={isByEmail}
            value={email}
            problem={problem}
            onChange={(event) => setEmail(event.target.value)}
          />
          <Button type="submit" variant="primary" busy={busy}>
            {strings.signIn.send}
          </Button>
        </>
      )}
      <PasskeyButton onSignedIn={(result) => onSignedIn(result, next)} />
      <ProviderButton
        provider={provider}
        next={next}
        stays={stays || isByEmail}
        variant={showsEmail ? 'quiet' : 'primary'}
        onSignedIn={onSignedIn}
      />
      {provider && isEmailOn && !isByEmail && (
        <Button variant="plain" onClick={() => setByEmail(true)}>
          {strings.signIn.byEmail}
        </Button>
      )}
    </form>
  );
}

interface CodeStepProps {
  readonly email: string;
  readonly invite: string | undefined;
  readonly onBack: () => void;
  readonly onVerified: (result: SignInResult) => Promise<void>;
}

function leadOf(email: string, isOpen: boolean, isPrinted: boolean): string {
  if (isPrinted) return strings.signIn.printedLead(email);
  return isOpen ? strings.signIn.codeLead(email) : strings.signIn.mailLead(email);
}

function CodeStep({ email, invite, onBack, onVerified }: CodeStepProps) {
  const { sign_up, mail } = useSignInOptions() ?? {};
  const isPrinted = mail === 'printed';
  const [code, setCode] = useState('');
  const [isSentAgain, setSentAgain] = useState(false);
  const { problem, busy, run } = useSubmit();
  const verify = run(async () =>
    onVerified(
      await unwrap(api.POST('/v1/auth/email/verify', { body: { email, code: code.trim() }, ...withInvite(invite) })),
    ),
  );
  const again = run(async () => {
    await unwrap(api.POST('/v1/auth/email/request', { body: { email }, ...withInvite(invite) }));
    setSentAgain(true);
  });
  return (
    <form onSubmit={verify} className="grid gap-5">
      <div>
        <h1 className="text-3xl">{isPrinted ? strings.signIn.printedTitle : strings.signIn.codeTitle}</h1>
        <p className="mt-2 text-soft">{leadOf(email, sign_up === 'open', isPrinted)}</p>
      </div>
      <CodeField label={strings.signIn.code} code={code} onChange={setCode} problem={problem} />
      <Button type="submit" variant="primary" busy={busy}>
        {strings.signIn.enter}
      </Button>
      <div className="flex flex-wrap justify-between">
        <Button variant="plain" className="-ml-5" onClick={onBack}>
          {strings.signIn.other}
        </Button>
        <Button variant="plain" className="-mr-5" onClick={() => void again()}>
          {strings.signIn.again}
        </Button>
      </div>
      <div aria-live="polite">{isSentAgain && <Note tone="good">{strings.signIn.sentAgain}</Note>}</div>
    </form>
  );
}

interface FactorStepProps {
  readonly mfaToken: string;
  readonly onVerified: (result: SignInResult) => Promise<void>;
}

function FactorStep({ mfaToken, onVerified }: FactorStepProps) {
  const [code, setCode] = useState('');
  const { problem, busy, run } = useSubmit();
  const verify = run(async () =>
    onVerified(await unwrap(api.POST('/v1/auth/mfa/verify', { body: { mfa_token: mfaToken, code: code.trim() } }))),
  );
  return (
    <form onSubmit={verify} className="grid gap-5">
      <div>
        <h1 className="text-3xl">{strings.signIn.factorTitle}</h1>
        <p className="mt-2 text-soft">{strings.signIn.factorLead}</p>
      </div>
      <CodeField label={strings.signIn.factor} hasLetters code={code} onChange={setCode} problem={problem} />
      <Button type="submit" variant="primary" busy={busy}>
        {strings.signIn.enter}
      </Button>
    </form>
  );
}
