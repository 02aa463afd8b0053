/** Proves the sign-in of this session again, in the ways that its account has. The session stays as it is. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../api/call.ts';
import { api, type SignInResult, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { useSettings } from '../data/sync.ts';
import { usePasskeyPlace } from '../passkeys/place.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { CodeField, useSubmit } from './code-field.tsx';
import { PROOF } from './proof-window.ts';
import { useSignInOptions, useSignInOptionsQuery } from './sign-in-options.ts';

const { prove: words } = screenStrings;
const WINDOW_NAME = 'crescendo-proof';
const WINDOW_SIZE = 'popup,width=480,height=720';

type Step =
  | { readonly name: 'choose' }
  | { readonly name: 'code'; readonly email: string }
  | { readonly name: 'factor'; readonly mfaToken: string };

interface ProveSheetProps {
  readonly onClose: (isProven: boolean) => void;
}

export function ProveSheet({ onClose }: ProveSheetProps) {
  const [step, setStep] = useState<Step>({ name: 'choose' });
  const [problem, setProblem] = useState<string>();
  const isPrinted = useSignInOptions()?.mail === 'printed';
  useEffect(() => {
    const channel = new BroadcastChannel(WINDOW_NAME);
    channel.onmessage = ({ data }: MessageEvent<SignInResult>) =>
      carryOver(data).then(
        () => onClose(true),
        (error: unknown) => setProblem(problemText(error)),
      );
    return () => channel.close();
  }, [onClose]);
  const proceed = async (result: SignInResult) => {
    if (result.status === 'mfa_required') return setStep({ name: 'factor', mfaToken: result.mfa_token ?? '' });
    await carryOver(result);
    return onClose(true);
  };
  return (
    <Sheet title={words.title} onClose={() => onClose(false)}>
      <div className="grid gap-5">
        {problem && <Note tone="danger">{problem}</Note>}
        {step.name === 'choose' && <Choice onSent={(email) => setStep({ name: 'code', email })} onSignedIn={proceed} />}
        {step.name === 'code' && (
          <CodeForm
            lead={isPrinted ? strings.signIn.printedLead(step.email) : strings.signIn.codeLead(step.email)}
            label={strings.signIn.code}
            verify={async (code) =>
              proceed(await unwrap(api.POST('/v1/auth/email/verify', { body: { email: step.email, code } })))
            }
          />
        )}
        {step.name === 'factor' && (
          <CodeForm
            // Another form than that of the mailed code: its field is empty.
            key="factor"
            lead={strings.signIn.factorLead}
            label={strings.signIn.factor}
            hasLetters
            verify={async (code) =>
              proceed(await unwrap(api.POST('/v1/auth/mfa/verify', { body: { mfa_token: step.mfaToken, code } })))
            }
          />
        )}
      </div>
    </Sheet>
  );
}

const carryOver = ({ session_token }: SignInResult) => call('POST', '/v1/auth/session/proof', { session_token });

/**
 * For the window in which a person signed in at the identity provider. The dialog that opened it carries the sign-in over:
 * a link from elsewhere to such a window must not make a session recent that somebody else may have a copy of.
 */
export function finishInWindow(result: SignInResult): void {
  const channel = new BroadcastChannel(WINDOW_NAME);
  channel.postMessage(result);
  channel.close();
  close();
}

interface ChoiceProps {
  readonly onSent: (email: string) => void;
  readonly onSignedIn: (result: SignInResult) => Promise<void>;
}

/** The ways that the account has. Another one would lead to another account, or to none. */
function Choice({ onSent, onSignedIn }: ChoiceProps) {
  const email = useSettings()?.email ?? null;
  const { data: options } = useSignInOptionsQuery();
  const { data: access } = useQuery({ queryKey: ['access'], queryFn: () => unwrap(api.GET('/v1/me/access')) });
  const isPasskeyHere = usePasskeyPlace() === 'here';
  const { problem, busy, run } = useSubmit();
  const has = (kind: string) => access?.some((one) => one.kind === kind) ?? false;
  const isByMail = options?.email === true && email !== null;
  const isByPasskey = isPasskeyHere && has('passkey');
  const provider = has('identity') ? (options?.identity_provider ?? null) : null;
  const mail = run(async () => {
    if (email === null) return;
    await unwrap(api.POST('/v1/auth/email/request', { body: { email } }));
    onSent(email);
  });
  const signWithPasskey = run(async () =>
    onSignedIn(await (await import('../passkeys/ceremonies.ts')).signInWithPasskey()),
  );
  const isKnown = options !== undefined && access !== undefined;
  return (
    <>
      <p className="text-soft">{words.lead}</p>
      {problem && <Note tone="danger">{problem}</Note>}
      {isKnown && !isByMail && !isByPasskey && !provider && <Note>{words.noWay}</Note>}
      {isByPasskey && (
        <Button icon="key" variant="primary" busy={busy} onClick={() => void signWithPasskey()}>
          {strings.passkeys.signIn}
        </Button>
      )}
      {provider && (
        <Button icon="person" busy={busy} onClick={openProvider}>
          {strings.signIn.provider(provider.name)}
        </Button>
      )}
      {isByMail && (
        <Button variant={isByPasskey ? 'quiet' : 'primary'} busy={busy} onClick={() => void mail()}>
          {words.byMail(email)}
        </Button>
      )}
    </>
  );
}

const openProvider = () => void open(`/app/sign-in?next=${encodeURIComponent(PROOF)}`, WINDOW_NAME, WINDOW_SIZE);

interface CodeFormProps {
  readonly lead: string;
  readonly label: string;
  readonly hasLetters?: boolean;
  readonly verify: (code: string) => Promise<void>;
}

function CodeForm({ lead, label, hasLetters = false, verify }: CodeFormProps) {
  const [code, setCode] = useState('');
  const { problem, busy, run } = useSubmit();
  return (
    <form onSubmit={run(() => verify(code.trim()))} className="grid gap-5">
      <p className="text-soft">{lead}</p>
      <CodeField label={label} hasLetters={hasLetters} code={code} onChange={setCode} problem={problem} />
      <Button type="submit" variant="primary" busy={busy}>
        {strings.signIn.enter}
      </Button>
    </form>
  );
}
