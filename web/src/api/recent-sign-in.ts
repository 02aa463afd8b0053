/**
 * Some requests need a recent sign-in. If the service says so, the app asks the person to prove the sign-in again, and
 * sends the request once more. The session stays, and whatever waits for the answer does not notice.
 */

/** Shows the dialog. Calls `done` with whether the person has proven the sign-in. */
type ProofDialog = (done: (isProven: boolean) => void) => void;

let dialog: ProofDialog | undefined;
/** Several requests may be refused at once: one proof is enough for all. */
let asking: PromiseWithResolvers<boolean> | undefined;

/**
 * Returns a function that takes the dialog away again, unanswered. Without a dialog, as in the service worker, nobody is
 * asked.
 */
export function setProofDialog(shown: ProofDialog): () => void {
  dialog = shown;
  return () => {
    dialog = undefined;
    asking?.resolve(false);
  };
}

export async function withRecentSignIn(send: () => Promise<Response>): Promise<Response> {
  const response = await send();
  if (response.status !== 403 || !(await needsProof(response))) return response;
  return (await askForProof()) ? send() : response;
}

async function needsProof(response: Response): Promise<boolean> {
  const { error } = (await response.clone().json()) as { readonly error?: string };
  return error?.startsWith('recent_sign_in_required:') ?? false;
}

async function askForProof(): Promise<boolean> {
  if (!dialog) return false;
  if (!asking) {
    asking = Promise.withResolvers<boolean>();
    dialog(asking.resolve);
  }
  return asking.promise.finally(() => {
    asking = undefined;
  });
}
