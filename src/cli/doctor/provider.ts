/** The servers elsewhere that sign-in and the clock depend on. */
import { composeProvider } from '../../compose-accounts.ts';
import type { Config } from '../../config.ts';
import { type Check, fault, fine, reasonOf, warning } from './check.ts';
import { judgeOffset, offsetMs } from './clock-offset.ts';
import { type Glimpse, glimpse } from './outside.ts';
import { pushOrigins } from './web-push.ts';

const provider: Check = {
  name: 'identity provider',
  settings: ['IDP_ISSUER', 'IDP_AUDIENCE', 'IDP_JWKS_URL', 'APPLE_CLIENT_KEY'],
  look: async ({ config, clock }) => {
    const composed = composeProvider(config, clock);
    if (!composed) return fine('this way to sign in is off');
    try {
      const count = await composed.countKeys();
      if (count > 0) return fine(`${config.IDP_ISSUER} offers ${count === 1 ? 'one key' : `${count} keys`}`);
      return fault(`${config.IDP_ISSUER} offers no keys`, 'Look at IDP_JWKS_URL.');
    } catch (error) {
      return fault(
        `the keys of ${config.IDP_ISSUER} cannot be had: ${reasonOf(error)}`,
        'Look at IDP_ISSUER and IDP_JWKS_URL, and whether this machine may connect there.',
      );
    }
  },
};

/** Compared with servers that the service talks to anyway; nobody else is asked. */
const clock: Check = {
  name: 'clock',
  settings: ['FCM_ORIGIN', 'IDP_ISSUER', 'WEB_PUSH_HOSTS', 'DATABASE_URL'],
  look: async ({ config, clock: ours }, signal) => {
    const answers = await Promise.all(originsOf(config).map((origin) => glimpse(origin, ours, signal)));
    const dated = answers.filter((answer) => answer !== undefined).filter(isDated);
    // One that agrees is enough: a server whose own clock is wrong agrees with nobody.
    const [best] = dated.toSorted((a, b) => Math.abs(offsetOf(a)) - Math.abs(offsetOf(b)));
    if (best) return judgeOffset(new URL(best.origin).host, best.date, best.askedAt, best.answeredAt);
    if (config.DATABASE_URL.engine === 'postgres') return undefined;
    return warning('nothing outside could be asked for the time', 'See that this machine keeps its clock by NTP.');
  },
};

type Dated = Glimpse & { readonly date: Date };

const isDated = (answer: Glimpse): answer is Dated => answer.date !== undefined;

const offsetOf = ({ date, askedAt, answeredAt }: Dated) => offsetMs(date, askedAt, answeredAt);

function originsOf(config: Config): string[] {
  const { FCM_SERVICE_ACCOUNT, FCM_ORIGIN, IDP_AUDIENCE, IDP_ISSUER } = config;
  return [
    ...(FCM_SERVICE_ACCOUNT ? [FCM_ORIGIN] : []),
    ...(IDP_AUDIENCE ? [new URL(IDP_ISSUER).origin] : []),
    ...pushOrigins(config),
  ];
}

export const providerChecks: readonly Check[] = [provider, clock];
