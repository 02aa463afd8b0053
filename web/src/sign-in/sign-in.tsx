import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { api, type SignInResult, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { beginSession } from '../data/session.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Field, Note } from '../ui/field.tsx';
import { Wordmark } from '../ui/icons.tsx';
import { ProviderButton } from './provider.tsx';
import { inviteIn, useSignInOptions, withInvite } from './sign-in-options.ts';

type Step =
  | { readonly name: 'email' }
  | { readonly name: 'code'; readonly email: string }
  | { readonly name: 'factor'; readonly mfaToken: string };

export function SignIn() {
  const [step, setStep] = useState<Step>({ name: 'email' });
  const { next, ended } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  useEffect(() => {
    document.title = strings.pageTitle(strings.signIn.title);
  }, []);
  const invite = inviteIn(next);
  const proceed = async (result: SignInResult, destination = next) => {
    if (result.status === 'mfa_required') return setStep({ name: 'factor', mfaToken: result.mfa_token ?? '' });
    await beginSession(result);
    const [to = '/', query] = (destination ?? '/').split('?');
    return navigate({ to, search: Object.fromEntries(new URLSearchParams(query)), replace: true });
  };
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
            <EmailStep next={next} onSent={(email) => setStep({ name: 'code', email })} onSignedIn={proceed} />
          )}
          {step.name === 'code' && (
            <CodeStep
              email={step.email}
              invite={invite}
              onBack={() => setStep({ name: 'email' })}
              onVerified={proceed}
            />
          )}
          {step.name === 'factor' && <FactorStep mfaToken={step.mfaToken} onVerified={proceed} />}
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

/** Runs the submission of a form and holds its error for the field. */
function useSubmit() {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const run = (work: () => Promise<unknown>) => async (event?: FormEvent) => {
    event?.preventDefault();
    setBusy(true);
    setProblem(undefined);
    await work().catch((error: unknown) => setProblem(problemText(error)));
    setBusy(false);
  };
  return { problem, busy, run };
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
  readonly onSent: (email: string) => void;
  readonly onSignedIn: (result: SignInResult, next: string | undefined) => Promise<void>;
}

function EmailStep({ next, onSent, onSignedIn }: EmailStepProps) {
  const [email, setEmail] = useState('');
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
          {strings.signIn.lead} <SignUpNote invite={invite} />
        </p>
      </div>
      <Field
        label={strings.signIn.email}
        type="email"
        name="email"
        autoComplete="email"
        inputMode="email"
        required
        value={email}
        problem={problem}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Button type="submit" variant="primary" busy={busy}>
        {strings.signIn.send}
      </Button>
      <ProviderButton next={next} onSignedIn={onSignedIn} />
    </form>
  );
}

interface CodeStepProps {
  readonly email: string;
  readonly invite: string | undefined;
  readonly onBack: () => void;
  readonly onVerified: (result: SignInResult) => Promise<void>;
}

function CodeStep({ email, invite, onBack, onVerified }: CodeStepProps) {
  const isOpen = useSignInOptions()?.sign_up === 'open';
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
        <h1 className="text-3xl">{strings.signIn.codeTitle}</h1>
        <p className="mt-2 text-soft">{isOpen ? strings.signIn.codeLead(email) : strings.signIn.mailLead(email)}</p>
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
      <CodeField label={strings.signIn.factor} code={code} onChange={setCode} problem={problem} />
      <Button type="submit" variant="primary" busy={busy}>
        {strings.signIn.enter}
      </Button>
    </form>
  );
}

interface CodeFieldProps {
  readonly label: string;
  readonly code: string;
  readonly onChange: (code: string) => void;
  readonly problem: string | undefined;
}

function CodeField({ label, code, onChange, problem }: CodeFieldProps) {
  return (
    <Field
      label={label}
      name="code"
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={32}
      required
      // The step has one field and follows a click, so moving the focus does not surprise.
      autoFocus
      value={code}
      problem={problem}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
