/**
 * The way to the identity provider and back. The browser leaves with a ticket of the service in the storage of its tab,
 * so that two tabs do not mix up their sign-ins, and comes back with an answer in the address or, after a form, in the
 * fragment. Both are gone from the address before anything else runs.
 */
const SIGN_IN_KEY = 'crescendo-provider-sign-in';
const SIGN_OUT_KEY = 'crescendo-provider-sign-out';

interface SignInUnderWay {
  /** Sealed by the service. An answer is of no use without it. */
  readonly ticket: string;
  /** Where the person wants to go after signing in. */
  readonly next?: string | undefined;
}

export interface ProviderReturn {
  /** Undefined if no sign-in of this tab was under way. */
  readonly signIn: SignInUnderWay | undefined;
  /** The parameters of the provider's answer. */
  readonly answer: string;
}

export function leaveForSignIn(url: string, signIn: SignInUnderWay): void {
  sessionStorage.setItem(SIGN_IN_KEY, JSON.stringify(signIn));
  location.assign(url);
}

export function leaveForSignOut(url: string): void {
  sessionStorage.setItem(SIGN_OUT_KEY, '1');
  location.assign(url);
}

function takeFromStorage(key: string): string | null {
  const value = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return value;
}

function takeReturn(): ProviderReturn | undefined {
  if (location.pathname !== '/app/sign-in') return undefined;
  const parts = [location.hash.slice(1), location.search.slice(1)];
  const answer = parts.find((part) => /(^|&)(code|error|id_token)=/.test(part));
  if (answer === undefined) return undefined;
  history.replaceState(null, '', location.pathname);
  const stored = takeFromStorage(SIGN_IN_KEY);
  return { answer, signIn: stored === null ? undefined : (JSON.parse(stored) as SignInUnderWay) };
}

let taken = takeReturn();

/**
 * Whether the provider opened this page, after a sign-in or a sign-out: then it does not lead there again by itself.
 */
export const cameFromProvider = takeFromStorage(SIGN_OUT_KEY) !== null || taken !== undefined;

/** The answer that this page was opened with; undefined the second time. */
export function takeProviderReturn(): ProviderReturn | undefined {
  const once = taken;
  taken = undefined;
  return once;
}
