/** Warns about valid settings that the operator of a public service should have chosen on purpose. */
import { type Config, mailDeliveryOf, type SettingName } from '../config.ts';
import { isPublicUrl } from '../lib/public-address.ts';
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
