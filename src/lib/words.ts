/**
 * Every text that the service itself writes to a person: notifications, messages and pages here, mails about the account
 * in `mail-words.ts`. What the web app writes is in `web/src/strings.ts` and `web/src/screen-strings.ts`; a second
 * language is these files. Plain text without `<`, `>` and `&`, because
 * mails and pages insert it as it is; functions insert the variable parts, which the caller has escaped.
 */
import { mailWords } from './mail-words.ts';

/** `en`, because en-GB abbreviates September to four letters. */
const NAMES_LOCALE = 'en';

/** Made once: an Intl formatter per push would cost ten times as much as the rest of it. */
const namesOf = (count: number, options: Intl.DateTimeFormatOptions, dateOf: (index: number) => number) => {
  const formatter = new Intl.DateTimeFormat(NAMES_LOCALE, { ...options, timeZone: 'UTC' });
  return Array.from({ length: count }, (_, index) => formatter.format(dateOf(index)));
};
/** From Monday on; 1 January 2024 was one. */
const WEEKDAYS = namesOf(7, { weekday: 'short' }, (index) => Date.UTC(2024, 0, 1 + index));
const MONTHS = namesOf(12, { month: 'short' }, (index) => Date.UTC(2024, index, 1));

const LAST_MAIL =
  'This is the last mail for now, because you have not opened the app for 14 days. Mails come again as soon as you do';

const inSpace = (space: string | null) => (space === null ? '' : ` (${space})`);

type Strength = string | null;

interface ChannelWords {
  readonly title: string;
  readonly summary: string;
  readonly strengths: [headsUp: Strength, stage0: Strength, stage1: Strength, stage2: string];
  readonly [field: string]: unknown;
}

export const words = {
  /** Of pages and mails. */
  language: 'en',
  name: 'Crescendo',
  tagline: 'Reminders that keep coming, a little stronger each time, until the task is dealt with.',

  nudge: {
    backFromSnooze: 'Back from its snooze',
    stillOpen: 'Still open',
    due: (when: string) => `Due ${when}`,
    dueNow: 'Due now',
    dueToday: 'Due today',
    wasDue: (when: string) => `Was due ${when}`,
    stillOpenDue: (when: string) => `Still open, due ${when}`,
    /** Shown alone, or followed by a time. */
    tomorrow: 'tomorrow',
    yesterday: 'yesterday',
    today: 'today',
    at: (time: string) => `at ${time}`,
    dayAt: (day: string, time: string) => `${day} at ${time}`,
    onDay: (weekday: number, day: number, month: number, year: number | null) =>
      `on ${WEEKDAYS[weekday - 1]} ${day} ${MONTHS[month - 1]}${year === null ? '' : ` ${year}`}`,
    /** For a channel that must not show the title of a task. The code is in the app too. */
    privateTitles: {
      headsUp: (code: string) => `Task ${code} is coming up`,
      due: (code: string) => `Task ${code} is due`,
      open: (code: string) => `Task ${code} is still open`,
    },
    done: 'Done',
    snooze: 'Snooze',
    snoozeHour: 'Snooze 1 h',
    confirm: 'Confirm',
    doneOrSnooze: 'Done or snooze',
  },

  /** Messages about requests. Whoever wrote the title and the name is not the service. */
  request: {
    accept: 'Accept',
    decline: 'Decline',
    acceptOrDecline: 'Accept or decline',
    look: 'Look at it',
    somebody: 'Somebody',
    titles: {
      asked: (title: string) => `Request: ${title}`,
      unanswered: (title: string) => `No answer: ${title}`,
      accepted: (title: string) => `Accepted: ${title}`,
      declined: (title: string) => `Declined: ${title}`,
      done: (title: string) => `Done: ${title}`,
      stand_in_asked: (title: string) => `Will you stand in? ${title}`,
      stand_in_agreed: (title: string) => `Agreed to stand in: ${title}`,
      stand_in_done: (title: string) => `Done: ${title}`,
    },
    /** For a channel that must not show the title of a task. */
    privateTitles: {
      asked: 'Somebody asks you to do something',
      unanswered: 'A request of yours has no answer',
      accepted: 'A request of yours was accepted',
      declined: 'A request of yours was declined',
      done: 'A request of yours was done',
      stand_in_asked: 'Somebody asks you to stand in',
      stand_in_agreed: 'Somebody stands in for you',
      stand_in_done: 'A task was done',
    },
    privateBody: 'Open the app to see which one.',
    bodies: {
      asked: (name: string, space: string | null) => `${name}${inSpace(space)} asks you to do this.`,
      unanswered: (name: string, space: string | null) =>
        `${name}${inSpace(space)} has not answered in days. Take it back, ask somebody else, or do it yourself.`,
      accepted: (name: string, space: string | null) => `${name}${inSpace(space)} will do it.`,
      declined: (name: string, space: string | null) => `${name}${inSpace(space)} will not do it.`,
      done: (name: string, space: string | null) => `${name}${inSpace(space)} has done it.`,
      stand_in_asked: (name: string, space: string | null) =>
        `${name}${inSpace(space)} asks you to be told if ${name} does not react. You can stop at any time.`,
      stand_in_agreed: (name: string, space: string | null) => `${name}${inSpace(space)} is told if you do not react.`,
      stand_in_done: (name: string) => `${name} has done it. You need not do anything.`,
    },
  },

  /** What a stand-in is told of. */
  standIn: {
    noReaction: (name: string) => `${name} has not reacted.`,
    either: (name: string) => `For ${name} or you.`,
    everything: 'All tasks',
    label: (label: string) => `Tasks with the label ${label}`,
    task: 'One task',
  },

  /** Where a person signed in. */
  browserOn: (browser: string, system: string) => `${browser} on ${system}`,

  notice: {
    testTitle: 'Crescendo can reach you here',
    testBody: 'This is the test you asked for. Nothing is due.',
    phoneTestTitle: 'Crescendo',
    phoneTestBody: 'Reminders reach this device.',
    confirmTitle: 'Confirm this channel',
    confirmBody: (code: string) => `Your code is ${code}. If you did not ask to be reminded here, do nothing.`,
    confirmLink: (url: string) => `To confirm, open this page and press the button: ${url}`,
    sms: (text: string) => `Crescendo: ${text}`,
  },

  /** Held by a provider, and shown if this service falls silent. */
  understudy: {
    title: (count: number) =>
      count === 1 ? 'A task is due, and Crescendo is silent' : `${count} tasks are due, and Crescendo is silent`,
    goneTitle: 'Crescendo is silent',
    silentSince: (when: string) => `Crescendo has not been heard of since ${when}.`,
    clock: (weekday: number, time: string) => `${(WEEKDAYS[weekday - 1] ?? '').slice(0, 3)} ${time}`,
    dueByNow: (list: string) => `Due by now: ${list}.`,
    wasPlanned: (when: string) => `Its reminder was planned for ${when}. Open the app when it is back.`,
    item: (title: string, when: string) => `${title} (${when})`,
    more: (count: number) => `and ${count} more`,
    nothingRings: 'Nothing rings until it is back. Tell the person who runs it.',
    openLater: 'Open the app when it is back.',
  },

  /** What a chat answers to a pressed button. */
  pressed: {
    done: 'Done.',
    snoozed: 'Snoozed for an hour.',
    snoozed_held: 'Snoozed. Your quiet hours or your pause hold it until they end.',
    seen: 'Seen.',
    passed: 'It was already dealt with.',
    expired: 'This message is too old. Open the app.',
    accepted: 'Accepted.',
    declined: 'Declined.',
    request_gone: 'This request was taken back or answered already.',
    other: 'This did nothing.',
  },

  nudgeMail: {
    page: (label: string, url: string) => `${label}: ${url}`,
    last: (app: string) => `${LAST_MAIL}: ${app}`,
    openApp: 'open the app',
    stop: 'No more of these mails',
    stopAt: (url: string) => `No more of these mails: ${url}`,
  },

  ...mailWords,

  /** The page behind the link in a mail to the owner of an account. */
  takeBackPage: {
    open: 'Open Crescendo',
    address: {
      heading: 'Take the change of your address back?',
      text:
        'Your account gets this address back. Every session ends, and so does everything that was added since the change or ' +
        'in the 15 minutes before it: passkeys, access tokens, connected assistants, channels, devices, calendar links, ' +
        'invitations, sign-in providers and a second factor.',
      button: 'Take it back',
    },
    address_done: {
      heading: 'Your address is back',
      text: 'Every session has ended. Sign in with your address, and look through Settings for what you do not know.',
      button: null,
    },
    /** What was there before the change opens the account further. */
    left: (kinds: string) =>
      `The account still has, from before: ${kinds}. If you do not know all of it, sign in and end it under ` +
      '"Sign out everywhere".',
    leftKinds: {
      token: 'access tokens',
      connection: 'connected assistants',
      passkey: 'passkeys',
      device: 'devices',
      calendar_feed: 'a calendar link',
      identity: 'a sign-in provider',
      second_factor: 'a second factor',
    },
    check: 'Look through "Sign out everywhere"',
    reset: {
      heading: 'Keep your second factor?',
      text: 'An administrator has asked to turn it off. If you stop this, it stays on and nothing else changes.',
      button: 'Keep it on',
    },
    unknown: {
      heading: 'This link is not known here',
      text: 'Perhaps a part of it is missing. Copy the whole link from the mail.',
      button: null,
    },
    reset_done: {
      heading: 'Your second factor stays on',
      text: 'Nothing else has changed.',
      button: null,
    },
    gone: {
      heading: 'This link no longer works',
      text: 'It was used, has expired, or there is nothing left to take back. If you cannot sign in, ask the person who runs the service.',
      button: null,
    },
  },

  /** The page behind the link in a message, by its state. */
  actPage: {
    ready: { heading: 'Is it done?', text: null },
    done: { heading: 'Done', text: null },
    snoozed: { heading: 'Snoozed for an hour', text: null },
    snoozed_held: { heading: 'Snoozed', text: 'Your quiet hours or your pause hold it: it comes when they end.' },
    seen: { heading: 'Seen', text: null },
    undone: { heading: 'Open again', text: null },
    stopped: {
      heading: 'Switched off',
      text: 'No more messages come through this channel. You can switch it on again in the app.',
    },
    passed: { heading: 'Already dealt with', text: 'The task has moved on, so this changed nothing.' },
    too_late_to_undo: {
      heading: 'Too late to take back',
      text: 'There is nothing to take back any more. The app can still change the task.',
    },
    expired: { heading: 'This link has expired', text: 'Open the app to see what is due.' },
    asked: { heading: 'Will you do this?', text: 'Somebody you share a space with asks you.' },
    accepted: { heading: 'Accepted', text: 'It is one of your tasks now. Who asked is told.' },
    declined: { heading: 'Declined', text: 'It is not one of your tasks. Who asked is told.' },
    request_gone: {
      heading: 'No longer asked',
      text: 'The request was taken back, or answered in another way, so this changed nothing.',
    },
    asked_to_stand_in: {
      heading: 'Will you stand in?',
      text: 'You are told if this person does not react to their own reminders, and can stop at any time.',
    },
    agreed_to_stand_in: { heading: 'You stand in', text: 'You are told if this person does not react.' },
    refused_to_stand_in: { heading: 'Declined', text: 'You are not told of anything.' },
    left: { heading: 'You do not stand in any more', text: 'You are told of nothing of this person from now on.' },
    told: { heading: 'About your request', text: 'Open the app to see it.' },
    unknown: { heading: 'This link is not known here', text: 'Open the newest message, or the app.' },
    to_confirm: {
      heading: 'Be reminded here?',
      text: 'Reminders of your Crescendo account will come here. If you did not ask for that, close this page.',
    },
    confirmed: { heading: 'Confirmed', text: 'Reminders come here from now on.' },
    wrong_code: {
      heading: 'This link no longer works',
      text: 'It was used already, or is too old. Ask for a new one in the app.',
    },
  },
  /** For a task that its message did not name. */
  actTask: (code: string) => `Task ${code}`,
  actButtons: {
    done: 'Done',
    snooze: 'Snooze for an hour',
    stop: 'No more of these messages',
    undo: 'Undo',
    confirm: 'Confirm',
    accept: 'Accept',
    decline: 'Decline',
    leave: 'Stop standing in',
    open: 'Open the app',
  },

  /** What `/v1/channels/kinds` says, and the app draws. Strengths: from the heads-up to stage 2. */
  devices: { ios: 'iPhone', android: 'Android', web: 'browser' },

  channels: {
    apprise: {
      title: 'Apprise',
      summary: 'A server of yours with the Apprise API: Discord, Slack, Matrix, Signal, Gotify and a hundred more.',
      url: { label: 'Server', hint: 'The address of the Apprise API, without /notify.' },
      key: { label: 'Configuration key', hint: 'The key under which the server stores your services.' },
      tag: {
        label: 'Tag',
        hint: 'Give it to one service only. If one of several fails, the others get the message again.',
      },
      strengths: ['marked as information', 'marked as information', 'marked as a warning', 'marked as a failure'],
    },
    email: {
      title: 'Email',
      summary: 'Any mailbox. The subject grows more urgent; Done and Snooze are behind a link.',
      email: { label: 'Email address', hint: 'A code is mailed there.' },
      strengths: ['a mail', 'a mail', 'marked as important', 'marked as important, says how long it is open'],
    },
    ntfy: {
      title: 'ntfy',
      summary: 'The ntfy app for Android, iPhone or a browser. Subscribe to a topic there, then press Confirm.',
      server: { label: 'Server', hint: (server: string) => `Leave it empty for ${server}.` },
      topic: { label: 'Topic', hint: 'Leave it empty for a new one that nobody can guess.' },
      token: { label: 'Access token', hint: 'Starts with tk_. For a server of your own that asks for one.' },
      strengths: ['quiet', 'with sound', 'high priority', 'highest priority'],
    },
    pushover: {
      title: 'Pushover',
      summary: 'The Pushover app. Press Subscribe there and type the code. At stage 2 it rings until you acknowledge.',
      strengths: ['silent', 'with sound', 'even in quiet hours', 'rings every minute until you acknowledge'],
    },
    sms: {
      title: 'Text message',
      summary: 'A mobile number. Used last, because each message costs the person who runs this service money.',
      number: { label: 'Mobile number', hint: 'With the country, such as +44 7700 900123. A code is sent there.' },
      otherCountry: (countries: readonly string[]) =>
        `start with the code of a country that this service sends to: ${countries.join(', ') || 'none so far'}. ` +
        'The person who runs it names more in SMS_COUNTRIES',
      strengths: [null, null, null, 'a text message'],
    },
    telegram: {
      title: 'Telegram',
      summary: 'Open a chat with the bot and press Start. Done and Snooze are buttons under the message.',
      strengths: ['silent', 'with sound', 'with sound', 'with sound, says how long it is open'],
    },
    webhook: {
      title: 'Webhook',
      summary: 'A server of yours, or Home Assistant. Each nudge is a signed request with links that act.',
      url: {
        label: 'URL',
        hint: 'It gets a POST with JSON, and answers with a status of 200 to 299 within five seconds.',
      },
      secret: { label: 'Signing secret', hint: 'Starts with whsec_. Leave it empty to get a new one.' },
      strengths: ['stage -1', 'stage 0', 'stage 1', 'stage 2'],
    },
  } satisfies Readonly<Record<string, ChannelWords>>,

  /** What went wrong with a channel, by its reason. */
  channelProblems: {
    credentials_refused: 'The server refuses the token or password. Enter it again.',
    refused_too_often:
      'The server refused several tokens or passwords within an hour, and more could make it lock out everybody here. ' +
      'Enter the right one, and try again in an hour.',
    endpoint_not_allowed:
      'This service may not call this address. The person who runs it can allow it with CHANNEL_HOSTS.',
    unreadable_address: 'The stored address cannot be read any more. Enter it again.',
    not_configured: 'The person who runs this service has not set this channel up.',
    timeout: 'The server did not answer in time.',
    service_silent: 'The server has not answered for a while. It is tried again now and then.',
    server_busy: 'Many messages wait for this server. This one is sent when it is its turn.',
    econnrefused: 'Nothing answers at this address.',
    econnreset: 'The server closed the connection.',
    // Also for a name that leads into a private network, or people could ask what names are in use there.
    enotfound:
      'There is no server with this name that the internet can reach. For a server in your own network, the person ' +
      'who runs this service adds its host and port to CHANNEL_HOSTS.',
    eai_again: 'The name of the server cannot be looked up at the moment.',
    switched_off: 'It is switched off.',
    too_many_requests: 'Enough tests were sent for now. Try again later.',
    not_found: 'It was removed in the meantime.',
    nothing_sent: 'The server stores no service with this key and tag, so nothing was sent.',
    http_424: 'The service behind the tag did not take the message.',
    subscription_ended: 'The subscription at Pushover has ended, or no device is left there. Add the channel again.',
    no_such_number: 'This number cannot get text messages.',
    number_not_enabled: 'The person who runs this service has not enabled text messages to this number or country.',
    number_limit: 'This number got as many text messages as it may in an hour.',
    code_until_confirmed:
      'An account gets two codes a day by text message until it has confirmed a number. Try again tomorrow.',
    code_limit: 'Enough codes were sent by text message for today. Try again tomorrow, or add another channel.',
    country_not_offered: 'This service sends no text messages to new numbers in this country.',
    not_proven:
      'Nobody has shown that this address is theirs, so it gets only some messages a day. Press Confirm to use it fully.',
    spending_cap: 'This service has sent as many text messages as it may in a day.',
    same_machine:
      'This server is on the machine of this service, so it would fall silent together with it. Use ntfy.sh, or a server ' +
      'on another machine.',
    server_too_old: 'This server cannot take back a message that it holds. It needs ntfy 2.16 or newer.',
    too_far: 'This server holds messages for a shorter time than asked for. Its message-delay-limit decides that.',
    too_soon: 'The clocks of this server and of this service differ.',
    cannot_hold: 'This kind of channel cannot hold a message.',
    stopped: 'Somebody replied STOP from this number. Reply START there, then switch the channel on again.',
  } as Readonly<Record<string, string>>,
  otherChannelProblems: {
    sms: 'The network could not deliver the text message to the phone.',
    unknownAddress: 'The server knows nothing at this address (404).',
    redirects: (code: string) => `The server redirects (${code}). Enter the final address.`,
    ownFault: (code: string) => `The server reports a fault of its own (${code}).`,
    mailRefused: (code: string) => `The mail server refuses the mail (${code}).`,
    refused: (code: string) => `The server refuses the message (${code}).`,
    unknown: (reason: string) => `The message could not be sent (${reason}).`,
  },

  connectedPage: {
    connected: { heading: 'Connected', text: '' },
    code_sent: { heading: 'One more step', text: 'A code is on its way to your devices. Type it into the app.' },
    expired: { heading: 'This link has expired', text: '' },
    back: 'Back to the app',
  },

  /** The list of tasks that are in no space, as apps show it. */
  caldav: { personalList: 'Crescendo' },

  foreignHostPage: { heading: 'This service has another name', opened: 'You opened' },

  unbuiltPage: {
    heading: 'The web app is not available',
    text: 'It could not be built on this machine; the log of the service says why. The API works:',
    docs: 'see its documentation',
  },

  frontPage: {
    heading: 'It reminds you until it is done',
    task: 'Take the pills',
    due: 'due at 08:00',
    ladder: 'A task and its nudges',
    stages: { first: 'first nudge', pressing: 'pressing', insisting: 'insisting', done: 'done', never: 'never sent' },
    caption: 'No answer, so it comes again, and stronger. One tap on Done, and it is quiet.',
    start: 'Open the app',
    guide: {
      name: 'Connect an AI agent',
      text: 'A token and a few lines of configuration, and it adds tasks for you.',
    },
    docs: { name: 'API documentation', text: 'Every call, with its fields. Search, paste a token and try it.' },
    openapi: { name: 'OpenAPI description', text: 'The same for machines.' },
    health: { name: 'Health', text: 'Whether the service can do its work.' },
  },

  docsPage: { title: 'Crescendo: API documentation', search: 'Search the calls: snooze, invite, DELETE …' },

  errorsPage: {
    title: 'Error codes of Crescendo',
    heading: 'Error codes',
    lead: 'A refused call answers with one of these codes and a sentence. Codes never change.',
    heads: ['code', 'status', 'meaning'],
    back: 'All calls',
  },
};
