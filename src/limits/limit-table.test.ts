import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from './limit-table.ts';

const MINUTE_MS = 60_000;
const WINDOWS: Readonly<Record<string, number>> = {
  minute: MINUTE_MS,
  '5 minutes': 5 * MINUTE_MS,
  quarter: 15 * MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
};

/** How many, in how long, and the error code where it is not `too_many_requests`. */
const FIGURES: Readonly<Record<keyof typeof LIMITS, string>> = {
  codesPerMailbox: '30 a day',
  codesPerNetwork: '600 a quarter',
  longCodesPerMailbox: '1 a 5 minutes',
  addressCodes: '10 a day',
  longAddressCodes: '1 a 5 minutes',
  longAddressCodesOfAccount: '10 a day',
  longAddressCodesPerMailbox: '30 a day',
  wrongPerAccount: '10 a quarter: too_many_attempts',
  wrongPerNetwork: '100 a quarter: too_many_attempts',
  guesses: '10 a quarter: too_many_attempts',
  guessesPerDay: '50 a day: too_many_attempts',
  guessesOfStrangers: '100 a day: too_many_attempts',
  wrongSecondFactors: 'Infinity a day: too_many_attempts',
  answersPerNetwork: '300 a quarter',
  answers: '3000 a quarter',
  claims: '10 a quarter: too_many_attempts',
  invitesPerAccount: '50 a quarter',
  inviteMails: '10 a day: too_many_invitations',
  inviteMailsPerSender: '3 a day: too_many_invitations',
  secondFactorResets: '10 a day',
  notices: '10 a day',
  testMessages: '6 a minute',
  testMessagesPerDay: '30 a day',
  testPushesPerAccount: '5 a minute',
  confirmations: '10 a day',
  confirmationsOfAddress: '5 a day',
  confirmationsToAddress: '30 a day',
  challenges: '20 a day',
  unprovenOfAccountPerHour: '10 a hour',
  unprovenOfAccount: '20 a day',
  unprovenToHostPerHour: '60 a hour',
  unprovenToHost: '300 a day',
  unprovenNudgesOfAccount: '100 a day',
  unprovenNudgesToHost: '1000 a day',
  refusedTokens: '3 a hour',
  refusedTokensOfHost: '10 a hour',
  connectionRequests: '60 a quarter',
  refreshesPerConnection: '500 a day',
  actsPerLink: '30 a minute',
};

test('each limit allows so many in so long, and no two of them count together', () => {
  const told = Object.entries(LIMITS).map(([name, { max, windowMs, code }]) => {
    const window = Object.keys(WINDOWS).find((one) => WINDOWS[one] === windowMs) ?? `${windowMs} ms`;
    return [name, `${max} a ${window}${code === 'too_many_requests' ? '' : `: ${code}`}`];
  });
  assert.deepEqual(Object.fromEntries(told), FIGURES);
  const names = Object.values(LIMITS).map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});
