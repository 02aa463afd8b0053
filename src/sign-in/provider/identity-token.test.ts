import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClaimsFault, type IdentityClaims, readClaims } from './identity-token.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const SECONDS = NOW.getTime() / 1_000;
const AUDIENCE = ['org.example.app', 'org.example.web'];

const VALID = {
  iss: 'https://provider.test',
  aud: 'org.example.app',
  sub: 'subject-1',
  jti: 'a token',
  iat: SECONDS - 5,
  exp: SECONDS + 600,
  email: 'Ada@Example.org',
  email_verified: true,
};

const READ: IdentityClaims = {
  subject: 'subject-1',
  clientId: 'org.example.app',
  verifiedEmail: 'ada@example.org',
  rememberUntil: new Date('2026-03-02T09:11:30Z'),
  nonce: undefined,
  sid: undefined,
  groups: undefined,
};

type Mutation = Readonly<Record<string, unknown>>;

/** The valid claims with one change each, and the answer: a fault, or what is read differently. */
const TABLE: readonly [Mutation, ClaimsFault | Partial<IdentityClaims>][] = [
  [{}, {}],

  [{ sub: undefined }, 'no_subject'],
  [{ sub: null }, 'no_subject'],
  [{ sub: '' }, 'no_subject'],
  [{ sub: [] }, 'no_subject'],
  [{ sub: {} }, 'no_subject'],
  [{ sub: ['subject-1'] }, 'no_subject'],
  [{ sub: 7 }, 'no_subject'],
  [{ sub: true }, 'no_subject'],
  [{ sub: 'a\0b' }, 'no_subject'],
  [{ sub: 'a\ud800' }, 'no_subject'],
  [{ sub: 'a'.repeat(256) }, 'no_subject'],
  [{ sub: 'a'.repeat(255) }, { subject: 'a'.repeat(255) }],
  [{ sub: ' Ä ' }, { subject: ' Ä ' }],

  [{ aud: undefined }, 'foreign_audience'],
  [{ aud: 'org.example.other' }, 'foreign_audience'],
  [{ aud: [] }, 'foreign_audience'],
  [{ aud: [['org.example.app']] }, 'foreign_audience'],
  [{ aud: ['org.example.web'] }, { clientId: 'org.example.web' }],
  [{ aud: ['org.example.app', 'org.example.other'] }, 'no_authorized_party'],
  [{ aud: ['org.example.app', 'org.example.web'] }, 'no_authorized_party'],
  [{ aud: ['org.example.app', 'org.example.other'], azp: 'org.example.other' }, 'foreign_authorized_party'],
  [{ aud: ['org.example.app', 'org.example.other'], azp: 'org.example.app' }, {}],
  [{ aud: ['org.example.app', 'org.example.web'], azp: 'org.example.web' }, { clientId: 'org.example.web' }],

  [{ azp: 'org.example.app' }, {}],
  [{ azp: 'org.example.web' }, {}],
  [{ azp: 'org.example.other' }, 'foreign_authorized_party'],
  [{ azp: '' }, 'foreign_authorized_party'],
  [{ azp: null }, 'foreign_authorized_party'],
  [{ azp: ['org.example.app'] }, 'foreign_authorized_party'],

  [{ iat: SECONDS + 30 }, {}],
  [{ iat: SECONDS + 31 }, 'issued_in_the_future'],
  [{ iat: 1e300 }, 'issued_in_the_future'],
  [{ iat: undefined }, {}],
  [{ jti: undefined }, { rememberUntil: undefined }],
  [{ iat: String(SECONDS) }, 'issued_in_the_future'],

  [{ exp: undefined }, 'no_expiry'],
  [{ exp: null }, 'no_expiry'],
  [{ exp: 1e300 }, 'no_expiry'],
  [{ exp: SECONDS + 60.5 }, { rememberUntil: new Date('2026-03-02T09:02:30.500Z') }],

  [{ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }, 'not_for_sign_in'],
  [{ events: '{"type":"account-delete"}' }, 'not_for_sign_in'],
  [{ events: null }, 'not_for_sign_in'],

  [{ nonce: 'n' }, { nonce: 'n' }],
  [{ nonce: null }, { nonce: null }],

  [{ sid: 's1' }, { sid: 's1' }],
  [{ sid: 7 }, {}],
  [{ groups: ['a', 'b'] }, { groups: ['a', 'b'] }],
  [{ groups: 'a' }, { groups: ['a'] }],
  [{ groups: [] }, { groups: [] }],
  [{ groups: ['a', 7, null] }, { groups: ['a'] }],
  [{ groups: { a: true } }, {}],
  [{ groups: true }, {}],

  [{ email_verified: 'true' }, {}],
  [{ email_verified: undefined }, { verifiedEmail: undefined }],
  [{ email_verified: false }, { verifiedEmail: undefined }],
  [{ email_verified: 'false' }, { verifiedEmail: undefined }],
  [{ email_verified: 1 }, { verifiedEmail: undefined }],
  [{ email: undefined }, { verifiedEmail: undefined }],
  [{ email: null }, { verifiedEmail: undefined }],
  [{ email: ['ada@example.org'] }, { verifiedEmail: undefined }],
  [{ email: '' }, { verifiedEmail: undefined }],
  [{ email: 'ada' }, { verifiedEmail: undefined }],
  [{ email: '\u{212A}ate@example.org' }, { verifiedEmail: undefined }],
  [{ email: 'kate@example\u{3002}org' }, { verifiedEmail: undefined }],
  [{ email: 'victim@home.test@evil.test' }, { verifiedEmail: undefined }],
];

const show = (value: object) => JSON.stringify(value, (_, field) => (field === undefined ? 'undefined' : field));

for (const [mutation, expected] of TABLE) {
  const answer = typeof expected === 'string' ? `refused: ${expected}` : `read with ${show(expected)}`;
  test(`claims with ${show(mutation)} are ${answer}`, () => {
    const wanted = typeof expected === 'string' ? expected : { ...READ, ...expected };
    assert.deepEqual(readClaims({ ...VALID, ...mutation }, AUDIENCE, NOW), wanted);
  });
}

test('an operator may trust the addresses of a provider, and name the claim with the groups', () => {
  const claims = { ...VALID, email_verified: false, roles: ['a'], groups: ['b'] };
  const rules = { isEmailTrusted: true, groupsClaim: 'roles' };
  assert.deepEqual(readClaims(claims, AUDIENCE, NOW, rules), { ...READ, groups: ['a'] });
  const broken = { ...claims, email: 'victim@home.test@evil.test' };
  assert.deepEqual(readClaims(broken, AUDIENCE, NOW, rules), { ...READ, groups: ['a'], verifiedEmail: undefined });
});
