/** Sign-in with a passkey: by a button, and in the field for the address, where the browser offers its passkeys. */
import { useEffect, useState } from 'react';
import type { SignInResult } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { usePasskeyPlace } from '../passkeys/place.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';

/** A challenge is valid for five minutes, and the screen may stay open for longer. */
const NEW_CHALLENGE_MS = 4 * 60_000;

const ceremonies = () => import('../passkeys/ceremonies.ts');

interface PasskeyButtonProps {
  readonly onSignedIn: (result: SignInResult) => Promise<void>;
}

export function PasskeyButton({ onSignedIn }: PasskeyButtonProps) {
  const isHere = usePasskeyPlace() === 'here';
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [round, setRound] = useState(0);
  const show = (error: unknown) => setProblem(problemText(error));
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round starts anew, with the functions of the last render.
  useEffect(() => {
    if (!isHere) return undefined;
    let isOver = false;
    const timer = setTimeout(() => setRound(round + 1), NEW_CHALLENGE_MS);
    const offer = async () => {
      const { signInByAutofill } = await ceremonies();
      const result = isOver ? undefined : await signInByAutofill();
      if (result) await onSignedIn(result);
    };
    offer().catch((error: unknown) => {
      if (!isOver) show(error);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      void ceremonies().then(({ cancelAutofill }) => cancelAutofill());
    };
  }, [isHere, round]);
  if (!isHere) return null;
  const signIn = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { signInWithPasskey } = await ceremonies();
      await onSignedIn(await signInWithPasskey());
    } catch (error) {
      show(error);
      // The browser's dialog has ended the offer in the field.
      setRound(round + 1);
    }
    setBusy(false);
  };
  return (
    <>
      {problem && <Note tone="danger">{problem}</Note>}
      <Button icon="key" busy={busy} onClick={() => void signIn()}>
        {strings.passkeys.signIn}
      </Button>
    </>
  );
}
