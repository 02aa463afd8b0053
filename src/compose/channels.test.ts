import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { baseUrlOf, loadConfig } from '../config.ts';
import { disabledMailer } from '../lib/mailer.ts';
import { ChannelHttp } from '../push/channel-http.ts';
import { channelProviders } from './channels.ts';

/** The providers by name, with these settings. */
function providersOf(settings: Readonly<Record<string, string>>) {
  const config = loadConfig(settings);
  const http = new ChannelHttp(config.CHANNEL_HOSTS);
  const throttle = { countMessages: async () => 0, uncountMessages: async () => undefined };
  const clock = new FakeClock();
  const parts = { config, http, mailer: disabledMailer(), baseUrl: baseUrlOf(config, 8080), clock, throttle };
  const providers = channelProviders(parts);
  http.close();
  return new Map(providers.map((provider) => [provider.kind.provider, provider]));
}

const telegram = { TELEGRAM_BOT_TOKEN: `1:${'x'.repeat(35)}` };
const sms = {
  SMS_ACCOUNT_SID: 'AC1',
  SMS_AUTH_TOKEN: 'x'.repeat(32),
  SMS_FROM: `MG${'0'.repeat(32)}`,
  SMS_COUNTRIES: '+49',
  SMS_UNDERSTUDIES: 'on',
};

test('a provider is there where the operator has set it up, and those that need nothing always are', () => {
  assert.deepEqual([...providersOf({}).keys()].toSorted(), ['apprise', 'ntfy', 'webhook']);
  const all = providersOf({
    ...telegram,
    ...sms,
    SMTP_URL: 'smtp://localhost',
    PUSHOVER_TOKEN: 'a'.repeat(30),
    PUSHOVER_SUBSCRIPTION_URL: 'https://pushover.net/subscribe/x',
  });
  assert.equal(all.size, 7);
});

test('messages are held as the operator has chosen: elsewhere, anywhere or nowhere', () => {
  const own = 'http://nas.example:2586';
  const holds = (settings: Readonly<Record<string, string>>) =>
    providersOf({ BASE_URL: 'https://nas.example', ...settings }).get('ntfy')?.holds;
  assert.deepEqual([holds({})?.isElsewhere('https://ntfy.sh'), holds({})?.isElsewhere(own)], [true, false]);
  assert.equal(holds({ UNDERSTUDIES: 'anywhere' })?.isElsewhere(own), true);
  assert.equal(holds({ UNDERSTUDIES: 'off' }), undefined);
  assert.ok(providersOf(sms).get('sms')?.holds);
  assert.equal(providersOf({ ...sms, UNDERSTUDIES: 'off' }).get('sms')?.holds, undefined);
  assert.equal(providersOf({ ...sms, SMS_UNDERSTUDIES: 'off' }).get('sms')?.holds, undefined);
});

test('a provider that cannot call this service is asked for what it has received', () => {
  const asks = (settings: Readonly<Record<string, string>>) =>
    providersOf({ ...telegram, ...settings }).get('telegram')?.receive !== undefined;
  assert.equal(asks({ BASE_URL: 'https://crescendo.example' }), false);
  for (const BASE_URL of ['http://crescendo.example', 'https://nas.lan', 'https://192.168.0.2', ''])
    assert.ok(asks({ BASE_URL }), BASE_URL);
});
