/**
 * Asks the providers of channels whether they accept what the operator configured. No message is sent. Mail has checks of
 * its own, and webhooks and Apprise need nothing from the operator.
 */
import { channelProviders } from '../../compose/channels.ts';
import { baseUrlOf, type SettingName } from '../../config.ts';
import { disabledMailer } from '../../lib/mailer.ts';
import { ChannelHttp } from '../../push/channel-http.ts';
import type { ChannelProvider } from '../../push/channel-provider.ts';
import type { PushResult } from '../../push/gateway.ts';
import { toPushResult } from '../../push/push-error.ts';
import { type Check, type DoctorContext, type Finding, fault, fine, warning } from './check.ts';

/** Text messages are counted when they are sent, and the doctor sends none. */
export const NO_COUNTERS = { countMessages: async () => 0, uncountMessages: async () => undefined };

/** Nothing is sent through these providers. */
export function findProvider(
  { config, clock }: Pick<DoctorContext, 'config' | 'clock'>,
  http: ChannelHttp,
  name: string,
): ChannelProvider | undefined {
  const baseUrl = baseUrlOf(config, config.PORT);
  const parts = { config, http, mailer: disabledMailer(), baseUrl, clock, throttle: NO_COUNTERS };
  return channelProviders(parts).find(({ kind }) => kind.provider === name);
}

const checkOf = (name: string, settings: readonly SettingName[], compare: string): Check => ({
  name,
  settings: ['CHANNEL_HOSTS', 'BASE_URL', ...settings],
  run: async (context, signal) => {
    const http = new ChannelHttp(context.config.CHANNEL_HOSTS);
    try {
      const provider = findProvider(context, http, name);
      if (!provider?.probe) return undefined;
      const { host } = new URL(provider.originOf({ server: context.config.NTFY_SERVER }));
      return describe(host, await provider.probe(signal).catch(toPushResult), compare);
    } finally {
      http.close();
    }
  },
});

const REMEDIES: Readonly<Record<string, string>> = {
  quota_used_up: 'Wait for the next month, or buy more messages; nudges fall to the next tier until then.',
  account_suspended: 'Settle with the SMS service why the account is suspended.',
};

function describe(host: string, result: PushResult, compare: string): Finding {
  if (result.kind === 'accepted') return fine(`${host} accepts our settings`);
  const { reason } = result;
  if (result.kind === 'misconfigured' || (result.kind === 'rejected' && result.isCredentials)) {
    return fault(`${host} refuses us: ${reason}`, REMEDIES[reason] ?? compare);
  }
  return warning(
    `${host} could not be asked: ${reason}`,
    'Let this machine connect to it, or see whether the address is right; nudges fall to the next tier until then.',
  );
}

export const channelChecks: readonly Check[] = [
  checkOf(
    'ntfy',
    ['NTFY_SERVER', 'NTFY_TOKEN'],
    'Compare NTFY_TOKEN with the access tokens of the user on that server, and NTFY_SERVER with its address.',
  ),
  checkOf('telegram', ['TELEGRAM_BOT_TOKEN', 'TELEGRAM_ORIGIN'], 'Ask BotFather for the token of the bot.'),
  checkOf(
    'pushover',
    ['PUSHOVER_TOKEN', 'PUSHOVER_SUBSCRIPTION_URL', 'PUSHOVER_ORIGIN'],
    'Compare PUSHOVER_TOKEN with the token of the application on pushover.net.',
  ),
  checkOf(
    'sms',
    ['SMS_ACCOUNT_SID', 'SMS_AUTH_TOKEN', 'SMS_FROM', 'SMS_ORIGIN'],
    'Compare SMS_ACCOUNT_SID and SMS_AUTH_TOKEN with the account of the SMS service.',
  ),
];
