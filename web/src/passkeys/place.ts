/** Whether passkeys work in this browser at this address, and otherwise why not. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { strings } from '../strings.ts';

/** `impossible`: the service has an address for which no browser allows passkeys. */
type PasskeyPlace = 'here' | 'unsupported' | 'impossible' | { readonly elsewhere: string };

function placeOf(origin: string | null): PasskeyPlace {
  if (origin === null) return 'impossible';
  if (location.origin !== origin) return { elsewhere: origin };
  return 'PublicKeyCredential' in globalThis ? 'here' : 'unsupported';
}

const signInOptions = {
  queryKey: ['sign-in-options'],
  queryFn: () => call<{ readonly passkey_origin: string | null }>('GET', '/app/sign-in-options'),
  retry: false,
};

/** Undefined until the service has answered. */
export function usePasskeyPlace(): PasskeyPlace | undefined {
  const { data } = useQuery(signInOptions);
  return data && placeOf(data.passkey_origin);
}

export function whyNotHere(place: Exclude<PasskeyPlace, 'here'>): string {
  const { impossible, unsupported, elsewhere } = strings.passkeys;
  if (place === 'impossible') return impossible;
  return place === 'unsupported' ? unsupported : elsewhere(place.elsewhere);
}
