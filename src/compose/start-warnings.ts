/** Warns about valid settings that the operator of a public service should have chosen on purpose. */
import { type Config, mailDeliveryOf, type SettingName } from '../config.ts';
import { isOwnMachine, isPublicUrl } from '../lib/public-address.ts';
import { countriesOf } from '../push/sms/countries.ts';

interface SettingWarning {
  readonly setting: SettingName;
  readonly says: string;
  readonly remedy: string;
}

export function findSettingWarnings(config: Config): SettingWarning[] {
  const { BASE_URL, SIGN_UP, SIGN_UP_DOMAINS } = config;
  const warnings: SettingWarning[] = [];
  if (BASE_URL && isPublicUrl(BASE_URL) && SIGN_UP === undefined && SIGN_UP_DOMAINS === undefined) {
    warnings.push({
      setting: 'SIGN_UP',
      says: `anyone who can reach ${BASE_URL} can create an account`,
      remedy: 'Set SIGN_UP=invite to admit only people who were invited, or SIGN_UP=open to keep it so.',
    });
  }
  const unreachable = findUnreachableAddress(config);
  if (unreachable) warnings.push(unreachable);
  if (mailDeliveryOf(config) === 'off') {
    warnings.push({
      setting: 'SMTP_URL',
      says: 'no mail is sent: nobody can sign in by mail, and invitations are not mailed',
      remedy: 'Set SMTP_URL, or PRINT_MAIL=true to print mail with its sign-in codes to the log.',
    });
  }
  const { SMS_FROM, SMS_COUNTRIES } = config;
  if (SMS_FROM !== undefined && countriesOf(SMS_COUNTRIES, SMS_FROM).length === 0) {
    warnings.push({
      setting: 'SMS_COUNTRIES',
      says: 'nobody can add a number for text messages: the sender is in no country, and none is named',
      remedy: 'Set SMS_COUNTRIES to the calling codes of the countries you send to, such as +49,+43.',
    });
  }
  return warnings;
}

/**
 * A service that listens on this machine alone needs a proxy to be reached by others. An address with TLS has one, and so
 * has a service that trusts one.
 */
function findUnreachableAddress(config: Config): SettingWarning | undefined {
  const { BASE_URL, HOST, PORT, TRUST_PROXY } = config;
  if (BASE_URL === undefined || TRUST_PROXY !== false || !isOwnMachine(HOST.includes(':') ? `[${HOST}]` : HOST)) return;
  const { protocol, hostname, port } = new URL(BASE_URL);
  if (protocol === 'https:' || isOwnMachine(hostname)) return undefined;
  const isOwnPort = PORT === 0 || Number(port || 80) === PORT;
  return {
    setting: 'HOST',
    says: `other machines cannot reach ${BASE_URL}, because HOST is ${HOST}`,
    remedy: isOwnPort
      ? 'Set HOST=0.0.0.0, so that the service listens for them too.'
      : `Set HOST=0.0.0.0 and BASE_URL=http://${hostname}:${PORT}; or put a proxy in front, and name it in TRUST_PROXY.`,
  };
}
