/** Offers a passkey once per browser, right after a sign-in by mail that a passkey would have saved. */
import { useId, useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { suggestedName } from '../ui/device-name.ts';
import { Note } from '../ui/field.tsx';
import { addPasskey } from './ceremonies.ts';

const words = strings.passkeys;
const OFFERED_KEY = 'crescendo-passkey-offered';

/** True once per browser, if it can make a passkey by itself and the account has none. */
export async function takePasskeyOffer(): Promise<boolean> {
  if (localStorage.getItem(OFFERED_KEY) !== null) return false;
  if (!(await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable())) return false;
  if ((await unwrap(api.GET('/v1/passkeys'))).length > 0) return false;
  localStorage.setItem(OFFERED_KEY, '1');
  return true;
}

export function PasskeyOffer({ onDone }: { readonly onDone: () => void }) {
  const lead = useId();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const add = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await addPasskey(suggestedName());
      showToast(words.added);
      onDone();
    } catch (error) {
      setProblem(problemText(error));
    }
    setBusy(false);
  };
  return (
    <div className="grid gap-5">
      <div>
        <h1 className="text-3xl">{words.offer}</h1>
        <p id={lead} className="mt-2 text-soft">
          {words.offerLead}
        </p>
      </div>
      {problem && <Note tone="danger">{problem}</Note>}
      {/* The screen has changed by itself: with the focus, a screen reader says what it offers. */}
      <Button variant="primary" icon="key" busy={busy} autoFocus aria-describedby={lead} onClick={() => void add()}>
        {words.add}
      </Button>
      <Button variant="plain" onClick={onDone}>
        {words.notNow}
      </Button>
    </div>
  );
}
