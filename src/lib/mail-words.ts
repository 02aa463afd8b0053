/** The mails about an account and its invitations. They are part of `words`, and follow its rules. */
export const LOCALE = 'en-GB';

const rules = new Intl.PluralRules(LOCALE);
const plural = (count: number, one: string, many: string) => `${count} ${rules.select(count) === 'one' ? one : many}`;

const END_SESSIONS = 'use “Sign out everywhere” under Settings';

const namedSpace = (name: string) => (name === '' ? 'a space' : `the space “${name}”`);

export const mailWords = {
  signInMail: {
    subject: (code: string) => `${code} is your Crescendo sign-in code`,
    code: (code: string) => `Your sign-in code is ${code}.`,
    codeAbove: 'Your sign-in code is',
    once: 'It works once, for 10 minutes. If you did not ask for it, ignore this mail: nobody can sign in without it.',
    long:
      'It is longer than usual because many codes were requested for your address. If you ask again within ' +
      'five minutes, use this code: no further mail is sent.',
  },

  signUpClosedMail: {
    subject: 'No Crescendo account for this address',
    lines: [
      'Someone, perhaps you, asked for a Crescendo sign-in code for this address.',
      'This address has no account there, and new accounts are not open to everyone. If you have an invitation, open ' +
        'its link and sign in from there. Otherwise ask the person who runs the service.',
      'If it was not you, ignore this mail. Nothing was created.',
    ],
  },

  invitationMail: {
    subject: 'You are invited to Crescendo',
    lead: 'You are invited to Crescendo. It reminds you of what you must not forget, until you have done it.',
    start: 'Start',
    how: 'Sign in with this email address, within two weeks. If you do not know who runs it, ignore this mail.',
  },

  inviteMail: {
    subject: 'You are invited to a space on Crescendo',
    lead: (space: string) => `You are invited to ${space} on Crescendo.`,
    unnamed: 'a space',
    /** The name is in quotation marks or in bold already. */
    named: (name: string) => `the space ${name}`,
    quoted: (name: string) => `“${name}”`,
    join: 'Join',
    once: 'The link works once, for two weeks. If you do not know who sent it, ignore this mail.',
  },

  /** Mails about the address of an account. */
  addressMail: {
    code: {
      subject: (code: string) => `${code} confirms your new Crescendo address`,
      code: (code: string) => `The code that makes this the address of your Crescendo account is ${code}.`,
      codeAbove: 'The code that makes this the address of your Crescendo account is',
      once:
        'It works once, for 10 minutes, and only in the account that asked for it. If you did not ask for it, ignore this ' +
        'mail and tell nobody the code: without it nothing changes.',
    },
    refused: {
      subject: 'This address cannot be used for that Crescendo account',
      lines: [
        'Someone, perhaps you, wanted to use this address for a Crescendo account. That is not possible: another account ' +
          'has the address, had it until a few days ago, or the service takes only certain addresses.',
        'If it was you, use another address, or ask the person who runs the service. If it was not you, ignore this mail. ' +
          'Nothing was changed.',
      ],
    },
    changed: {
      subject: 'The address of your Crescendo account was changed',
      what: (address: string) =>
        `Your Crescendo account now has another address: ${address}. Sign-in codes and mails about the account go there.`,
      undo: (until: string) =>
        'If this was you, there is nothing to do. If this was not you, take it back with the link below. Your account then ' +
        'has this address again, every session ends, and so does everything that was added to sign in or to read along ' +
        `since, or in the 15 minutes before. The link works once, until ${until}.`,
      label: 'This was not me: take it back',
    },
    kept: {
      subject: 'Your Crescendo account has another address now',
      what: (when: string) =>
        'Someone, perhaps you, asked for a Crescendo sign-in code for this address. The account of this address got ' +
        `another one on ${when} (UTC). Use that one to sign in.`,
      undo: (until: string) =>
        'If you did not change it, take it back with the link below. Your account then has this address again, every ' +
        `session ends, and you can sign in with this address. The link works once, until ${until} (UTC).`,
    },
    deleted: {
      subject: 'Your Crescendo account was deleted',
      what:
        'The Crescendo account that has this address, or had it until a few days ago, was deleted with everything in it. ' +
        'The link that took back the change of its address no longer works.',
      ask:
        'If this was you, there is nothing to do. If this was not you, tell the person who runs the service soon: only a ' +
        'backup brings the account back.',
    },
    byOperator: {
      subject: 'The address of your Crescendo account was changed',
      old:
        'The person who runs the service has given your Crescendo account another address, and has ended every session. ' +
        'You sign in with the new address from now on. If you do not know why, ask that person.',
      new:
        'The person who runs the service has made this the address of your Crescendo account, and has ended every session. ' +
        'Sign in with this address from now on.',
    },
  },

  /** Before a second factor is turned off at the request of an administrator. */
  resetMail: {
    subject: 'The second factor of your Crescendo account will be turned off',
    what: (when: string) =>
      'An administrator of the service has asked to turn off the second factor of your account. Administrators can do this ' +
      `for people who have lost it. It will be off on ${when}, and every session ends then.`,
    lost: 'If you have lost it and asked for this, there is nothing to do. You get this mail each day until then.',
    stop:
      'If you did not ask for this, stop it with the link below. Signing in with your second factor stops it too. ' +
      'Somebody may be trying to get into your account.',
    label: 'Stop it',
  },

  /** Mails about the safety of an account. */
  accountMail: {
    when: (time: string) => `When: ${time}`,
    ifYou: (ifNotYou: string, ifWanted = 'If this was you') => `${ifWanted}, there is nothing to do. ${ifNotYou}`,
    where: (client: string, since: string) =>
      `Where: ${client === '' ? 'a session without a name' : client}, signed in on ${since}`,
    settings: 'Settings',
    signOut: 'Sign out everywhere',
    secondFactorOn: {
      subject: 'The second factor of your Crescendo account is on',
      what: 'Signing in to your account now also asks for a code from an authenticator app.',
      ifNotYou:
        'If this was not you, somebody else is signed in to your account. Ask the operator of the service to turn the ' +
        'second factor off, which also ends every session.',
    },
    secondFactorOff: {
      subject: 'The second factor of your Crescendo account is off',
      what: 'Signing in to your account no longer asks for a code from an authenticator app.',
      ifNotYou: `If this was not you, ${END_SESSIONS}, and turn the second factor on again.`,
    },
    secondFactorReset: {
      subject: 'The second factor of your Crescendo account is off',
      what:
        'An administrator asked for this, and nobody stopped it for three days. Signing in no longer asks for a code from ' +
        'an authenticator app, and every session has ended. Sign in, and turn the second factor on again.',
    },
    addressRestored: {
      subject: 'Your Crescendo account has its address back',
      what:
        'A change of the address was taken back. Every session has ended, and so has everything that was added since the ' +
        'change to sign in or to read along.',
      ifNotYou: `If this was not you, sign in, and ${END_SESSIONS}.`,
    },
    secondFactorGuessed: {
      subject: 'Wrong codes for your Crescendo account',
      what: (count: number) =>
        `${plural(count, 'wrong code for the second factor was', 'wrong codes for the second factor were')} entered ` +
        'today, each after a sign-in with your email or your identity provider. None of them opened your account.',
      ifNotYou:
        'If this was not you, somebody can read your email or use your identity provider. Change those passwords now.',
    },
    recoveryCodeUsed: {
      subject: 'A recovery code of your Crescendo account was used',
      what: (left: number) =>
        `A recovery code was used in place of a code from your authenticator app. Recovery codes left: ${left}.`,
      few: 'For new ones, turn the second factor off and on again.',
      ifNotYou:
        `If this was not you, ${END_SESSIONS}, and turn the second factor off and on again, which replaces the ` +
        'recovery codes.',
    },
    tokenMinted: {
      subject: 'New access token for your Crescendo account',
      what: (name: string) =>
        `An access token named “${name}” was created. A program that has it can act on your tasks.`,
      whatUnnamed: 'An access token without a name was created. A program that has it can act on your tasks.',
      ifNotYou: `If this was not you, ${END_SESSIONS}, and revoke the token there.`,
    },
    channelAdded: {
      subject: 'New channel for your Crescendo account',
      what: (title: string, label: string) =>
        `A channel was added: ${title}${label === '' ? '' : ` (${label})`}. Once it is confirmed, reminders of your ` +
        'tasks are sent there.',
      ifNotYou: `If this was not you, ${END_SESSIONS}, and remove the channel there.`,
    },
    channelMoved: {
      subject: 'New address of a channel of your Crescendo account',
      what: (title: string, label: string) =>
        `A channel was given another address: ${title}${label === '' ? '' : ` (${label})`}. Once it is confirmed, ` +
        'reminders of your tasks are sent there.',
      ifNotYou: `If this was not you, ${END_SESSIONS}, and remove the channel there.`,
    },
    deviceAdded: {
      subject: 'New device for your Crescendo account',
      what: (name: string) =>
        `Reminders of your tasks now also go to ${name === '' ? 'a phone or browser' : name} that was not used for them before.`,
      ifNotYou: `If this was not you, ${END_SESSIONS}, and remove the device there.`,
    },
    inviteMade: {
      subject: 'New invitation from your Crescendo account',
      what: (space: string) =>
        `An invitation to ${namedSpace(space)} was made in your account. Who uses it sees the tasks of the space.`,
      ifNotYou: `If this was not you, ${END_SESSIONS}, and end the invitation there.`,
    },
    inviteUsed: {
      subject: 'Somebody joined a space by your Crescendo invitation',
      what: (name: string, space: string) =>
        `${name === '' ? 'Somebody without a name' : `“${name}”`} joined ${namedSpace(space)} by an invitation that was ` +
        'made in your account.',
      ifWanted: 'If you invited them',
      ifNotYou: `If you did not, ${END_SESSIONS}. The owner of the space can remove them.`,
    },
    feedMade: {
      subject: 'New calendar link for your Crescendo account',
      what: 'A link was made under which a calendar reads your open tasks. An earlier link no longer works.',
      ifNotYou: `If this was not you, ${END_SESSIONS}, and stop the calendar feed there.`,
    },
    listEmptied: {
      subject: 'An app deleted your tasks in Crescendo',
      what: (count: number) =>
        `An app that is connected by CalDAV deleted ${count} tasks within a short time, and its list is empty now. Some ` +
        'apps do that by mistake. For a day you can take it back: open Crescendo and choose Undo.',
      ifNotYou: `If you know no such app, ${END_SESSIONS}, and revoke its access token there.`,
    },
    exported: {
      subject: 'The data of your Crescendo account was downloaded',
      what: 'Somebody who is signed in to your account downloaded its tasks and settings as a file.',
      ifNotYou: `If this was not you, ${END_SESSIONS}. Nobody can take the file back.`,
    },
    signedOutEverywhere: {
      subject: 'You signed out everywhere in Crescendo',
      what: (ended: number) =>
        `${plural(ended, 'session or other way to reach your account was', 'sessions and other ways to reach your account were')} ended.`,
      ifNotYou: `If this was not you, sign in, and ${END_SESSIONS} yourself.`,
    },
    passkeyAdded: {
      subject: 'New passkey for your Crescendo account',
      what: (name: string) =>
        `A passkey named “${name}” was added. The device that has it can sign in to your account.`,
      ifNotYou: `If this was not you, ${END_SESSIONS}, and remove the passkey there.`,
    },
    passkeyRemoved: {
      subject: 'A passkey of your Crescendo account was removed',
      what: (name: string) => `The passkey named “${name}” can no longer sign in to your account.`,
      ifNotYou: `If this was not you, ${END_SESSIONS}, and add a new passkey.`,
    },
    passkeyCopied: {
      subject: 'A passkey of your Crescendo account may have been copied',
      what: (name: string) =>
        `A sign-in with the passkey named “${name}” was refused, because its counter was lower than at an earlier ` +
        'sign-in. If you have reset the device, remove the passkey under Settings and add it again.',
      ifNotYou: 'If this was not you, somebody may have a copy: sign in another way and remove the passkey now.',
    },
    connectionMade: {
      subject: 'An assistant was connected to your Crescendo account',
      what: (name: string, host: string | null) => {
        const who = name === '' ? 'An assistant without a name' : `An assistant that calls itself “${name}”`;
        return `${who}${host === null ? '' : `, of ${host},`} was connected. It can act on your tasks as you allowed.`;
      },
      ifNotYou: `If this was not you, ${END_SESSIONS}, and revoke the connection there.`,
    },
    suspended: {
      subject: 'Your Crescendo account is suspended',
      what:
        'The person who runs the service has suspended your account. Nobody can sign in to it, and you get no reminders: ' +
        'keep in mind yourself what must not be missed. Nothing was deleted. If you do not know why, ask that person.',
    },
    suspensionLifted: {
      subject: 'Your Crescendo account works again',
      what:
        'Your account is no longer suspended. Sign in as before. You are reminded once of each task that fell due in the ' +
        'meantime.',
    },
    providerLinked: {
      subject: 'New way to sign in to your Crescendo account',
      what: (host: string) =>
        `Your account can now be opened with the identity provider ${host}, which confirmed your email address.`,
      ifNotYou: `If this was not you, secure your account there, then ${END_SESSIONS}.`,
    },
    newSignIn: {
      subject: 'New sign-in to your Crescendo account',
      what: (host: string) =>
        `Your account was opened with the identity provider ${host}, from a network that was not used for it in the ` +
        'last 90 days.',
      ifNotYou: `If this was not you, secure your account there, then ${END_SESSIONS}.`,
    },
  },
};
