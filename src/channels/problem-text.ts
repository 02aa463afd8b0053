/** What went wrong with a channel, in plain words. Pure. The reasons are those of `push/channel-provider.ts`. */
const SENTENCES: Readonly<Record<string, string>> = {
  credentials_refused: 'The server refuses the token or password. Enter it again.',
  endpoint_not_allowed:
    'The address leads to a private network. The person who runs this service can allow it with CHANNEL_HOSTS.',
  unreadable_address: 'The stored address cannot be read any more. Enter it again.',
  not_configured: 'The person who runs this service has not set this channel up.',
  timeout: 'The server did not answer in time.',
  service_silent: 'The server has not answered for a while. It is tried again now and then.',
  econnrefused: 'Nothing answers at this address.',
  econnreset: 'The server closed the connection.',
  enotfound: 'There is no server with this name.',
  eai_again: 'The name of the server cannot be looked up at the moment.',
  switched_off: 'It is switched off.',
  nothing_sent: 'The server stores no service with this key and tag, so nothing was sent.',
  http_424: 'The service behind the tag did not take the message.',
  subscription_ended: 'The subscription at Pushover has ended, or no device is left there. Add the channel again.',
  no_such_number: 'This number cannot get text messages.',
  number_not_enabled: 'The person who runs this service has not enabled text messages to this number or country.',
  number_limit: 'This number got as many text messages as it may in an hour.',
  spending_cap: 'This service has sent as many text messages as it may in a day.',
  stopped: 'Somebody replied STOP from this number. Reply START there, then switch the channel on again.',
};

export function explainProblem(reason: string): string {
  const known = SENTENCES[reason];
  if (known) return known;
  const [, protocol, code = ''] = /^(http|smtp)_(\d{3})$/.exec(reason) ?? [];
  if (/^sms_/.test(reason)) return 'The network could not deliver the text message to the phone.';
  if (protocol === 'http' && code === '404') return 'The server knows nothing at this address (404).';
  if (protocol === 'http' && code.startsWith('3')) return `The server redirects (${code}). Enter the final address.`;
  if (protocol === 'http' && code.startsWith('5')) return `The server reports a fault of its own (${code}).`;
  if (protocol === 'smtp') return `The mail server refuses the mail (${code}).`;
  return protocol ? `The server refuses the message (${code}).` : `The message could not be sent (${reason}).`;
}
