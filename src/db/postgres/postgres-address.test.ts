import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectionOptions } from './postgres-address.ts';

const LOCAL = [
  'postgres://u:p@localhost/x',
  'postgres://u:p@db.localhost:5433/x',
  'postgres://u:p@127.0.0.1/x',
  'postgres://u:p@127.8.9.10/x',
  'postgres://u:p@[::1]/x',
  'postgres://u:p@%2Fvar%2Frun%2Fpostgresql/x',
  'postgres://u:p@ignored/x?host=/var/run/postgresql',
];

/** Includes names in a private network: a certificate costs little, and a password in clear text can be recorded. */
const REMOTE = [
  'postgres://u:p@db/x',
  'postgres://u:p@db.example.org/x',
  'postgres://u:p@10.0.0.5/x',
  'postgres://u:p@[fd00::5]/x',
  'postgres://u:p@0.0.0.0/x',
  'postgres://u:p@localhost.example.org/x',
  'postgres://u:p@localhost/x?host=db.example.org',
];

const tlsOf = (url: string) => connectionOptions(url, 'test').ssl;
const isVerified = (tls: ReturnType<typeof tlsOf>) =>
  typeof tls === 'object' && tls.rejectUnauthorized === undefined && tls.checkServerIdentity === undefined;

for (const url of LOCAL) {
  test(`without sslmode there is no TLS to ${url}, and there is with one`, () => {
    assert.equal(tlsOf(url), false);
    assert.ok(isVerified(tlsOf(`${url}${url.includes('?') ? '&' : '?'}sslmode=verify-full`)));
  });
}

for (const url of REMOTE) {
  test(`without sslmode the connection to ${url} is encrypted and verified, with "disable" it is not`, () => {
    assert.ok(isVerified(tlsOf(url)));
    assert.equal(tlsOf(`${url}${url.includes('?') ? '&' : '?'}sslmode=disable`), false);
  });
}

for (const mode of ['require', 'prefer', 'allow', 'verify-ca', 'verify-full', 'disabled'])
  test(`sslmode=${mode} alone never weakens the check of the certificate`, () =>
    assert.ok(isVerified(tlsOf(`postgres://u:p@db/x?sslmode=${mode}`))));

test('sslrootcert replaces the known authorities, and verify-ca then leaves out the host name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  const file = join(folder, 'ca.pem');
  writeFileSync(file, 'the certificate');
  const local = tlsOf(`postgres://u:p@localhost/x?sslrootcert=${file}`);
  assert.ok(isVerified(local) && typeof local === 'object' && local.ca === 'the certificate');
  const byAuthority = tlsOf(`postgres://u:p@db/x?sslmode=verify-ca&sslrootcert=${file}`);
  assert.ok(typeof byAuthority === 'object' && byAuthority.ca === 'the certificate');
  assert.equal(byAuthority.rejectUnauthorized, undefined);
  assert.notEqual(byAuthority.checkServerIdentity, undefined);
  rmSync(folder, { recursive: true });
});

test('no-verify encrypts and checks nothing, and the other parameters of the URL reach the server', () => {
  const { ssl, connectionString } = connectionOptions('postgres://u:p@db/x?sslmode=no-verify&options=-c%20a%3Db', 's');
  assert.ok(typeof ssl === 'object' && ssl.rejectUnauthorized === false);
  assert.equal(connectionString, 'postgres://u:p@db/x?options=-c+a%3Db');
});
