import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  areInvitesAdmitted,
  type EntryRefusal,
  findRefusal,
  isAddressAdmitted,
  isNewcomerAdmitted,
  mayAccountHave,
  policyOf,
  type SignUpRules,
  type WayIn,
} from './admission.ts';

const ADMINS = ['ada@home.test'];
const open: SignUpRules = { signUp: 'open', domains: [], admins: ADMINS, byProvider: true };
const invite: SignUpRules = { ...open, signUp: 'invite' };
const domains = ['work.test'];

/** The rules, and who is admitted: an admin, an address of the domain, any other address, none, an invitation. */
const table: [SignUpRules, ReturnType<typeof policyOf>, ...boolean[]][] = [
  [open, 'open', true, true, true, true, false],
  [{ ...open, domains }, 'domains', true, true, false, false, false],
  [invite, 'invite', true, false, false, false, true],
  [{ ...invite, domains }, 'invite', true, true, false, false, true],
];

test('SIGN_UP, SIGN_UP_DOMAINS and ADMINS decide together who gets a new account', () => {
  for (const [rules, policy, ...expected] of table) {
    const addresses = ['ada@home.test', 'bob@work.test', 'eve@else.test', undefined];
    const admitted = addresses.map((address) => isAddressAdmitted(rules, address));
    assert.deepEqual([policyOf(rules), ...admitted, areInvitesAdmitted(rules)], [policy, ...expected]);
  }
});

test('a group admits by itself, under every rule, and without one the address decides', () => {
  for (const [rules] of table) {
    for (const verifiedEmail of ['bob@work.test', 'eve@else.test', undefined]) {
      const newcomer = { way: 'provider', verifiedEmail } as const;
      assert.equal(isNewcomerAdmitted(rules, { ...newcomer, isInAllowedGroup: true }), true);
      const byAddress = isAddressAdmitted(rules, verifiedEmail);
      assert.equal(isNewcomerAdmitted(rules, { ...newcomer, isInAllowedGroup: false }), byAddress);
    }
  }
});

test('a domain or an address that only contains an admitted one is not admitted', () => {
  const rules = { ...invite, domains };
  for (const email of ['x@sub.work.test', 'x@notwork.test', 'x@work.test.evil.test', 'work.test@evil.test'])
    assert.equal(isAddressAdmitted(rules, email), false, email);
  assert.equal(isAddressAdmitted(rules, 'ada@home.test.evil.test'), false);
});

test('an account changes to any address, and with SIGN_UP_DOMAINS to one of these or of ADMINS', () => {
  for (const [rules] of table) {
    const allowed = ['ada@home.test', '"bob@home"@work.test', 'eve@else.test'].map((one) => mayAccountHave(rules, one));
    assert.deepEqual(allowed, [true, true, rules.domains.length === 0]);
  }
});

test('where groups decide, people whom the provider knows enter there alone, or wait while it is not known who that is', () => {
  const [OURS, FORMER] = ['https://idp.test', 'https://former.test'];
  const refusal = (way: WayIn, issuers: string[], issuer: string | undefined, isInGroup = false) =>
    findRefusal({ isEmailOn: true, doGroupsDecide: true, issuer }, { way, isSuspended: false, issuers, isInGroup });
  for (const way of ['email', 'passkey'] as const) {
    const cases: [issuers: string[], issuer: string | undefined, refusal: EntryRefusal | undefined][] = [
      [[], OURS, undefined],
      [[FORMER], OURS, undefined],
      [[FORMER, OURS], OURS, 'provider_required'],
      [[], undefined, undefined],
      [[FORMER], undefined, 'identity_provider_unavailable'],
    ];
    for (const [issuers, issuer, expected] of cases) assert.equal(refusal(way, issuers, issuer), expected);
  }
  assert.equal(refusal('provider', [OURS], OURS), 'group_required');
  assert.equal(refusal('provider', [OURS], OURS, true), undefined);
});
