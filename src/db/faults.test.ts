import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { breaksConnection, isOutOfConnections, isRetryable, isStatementLost, translateFault } from './faults.ts';
import { DatabaseFileFault } from './sqlite/file-guard.ts';
import { BatchRolledBack } from './sqlite/group-commit.ts';

const ofServer = (code: string, message = 'says the server') =>
  Object.assign(new pg.DatabaseError(message, 0, 'error'), { code });
const ofSqlite = (errcode: number) => Object.assign(new Error('says SQLite'), { code: 'ERR_SQLITE_ERROR', errcode });
const ofNetwork = (code: string) => Object.assign(new Error('says the network'), { code });

const isUnavailable = (error: unknown) =>
  (translateFault(error) as { readonly code?: string }).code === 'database_unavailable';

test('what another transaction is to blame for is tried again, and nothing else', () => {
  const again: Error[] = [ofServer('40001'), ofServer('40P01'), ofServer('26000'), ofSqlite(5), ofSqlite(5 + 256)];
  again.push(new BatchRolledBack(undefined), ofServer('0A000', 'cached plan must not change result type'));
  for (const error of again) assert.ok(isRetryable(error), String(Object.entries(error)));
  for (const error of [
    ofServer('23505'),
    ofServer('0A000'),
    ofSqlite(6),
    ofNetwork('ECONNRESET'),
    new Error('no'),
    '40001',
  ])
    assert.equal(isRetryable(error), false, String(error));
  assert.equal(isStatementLost(ofServer('0A000', 'cannot do that')), false);
});

test('every fault of the database is told as such, and a mistake of ours is not', () => {
  const codes = '08006 57P01 57P05 57014 53100 53300 58030 25006 25P03'.split(' ');
  const network = 'ECONNREFUSED ECONNRESET ECONNABORTED ENOTFOUND EAI_AGAIN EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH';
  const faults = [
    ...codes.map((code) => ofServer(code)),
    ...network.split(' ').map(ofNetwork),
    // Read-only, damaged, full, gone, or no database; the upper byte says more.
    ...[8, 10, 11, 13, 14, 26, 10 + 3 * 256].map(ofSqlite),
    ...['Connection terminated unexpectedly', 'timeout expired', 'Query read timeout'].map((text) => new Error(text)),
    new DatabaseFileFault('The file was deleted.'),
    // Of a host with several addresses, each of which refused.
    new AggregateError([ofNetwork('ECONNREFUSED'), ofNetwork('ECONNREFUSED')]),
  ];
  for (const error of faults) assert.ok(isUnavailable(error), `${error.message} ${JSON.stringify(error)}`);
  for (const error of [ofServer('23505'), ofServer('42P01'), ofSqlite(1), ofSqlite(19), new Error('no'), 'text'])
    assert.equal(translateFault(error), error);
});

test('after a fault of the connection it is not used again, and after an error of a statement it is', () => {
  const lost = '08006 57P01 57P02 57P03 25006 25P03'.split(' ').map((code) => ofServer(code));
  for (const error of [...lost, ofNetwork('ECONNRESET'), new Error('Query read timeout')])
    assert.ok(breaksConnection(error), String(Object.entries(error)));
  for (const code of ['23505', '40001', '40P01', '57014', '53100'])
    assert.equal(breaksConnection(ofServer(code)), false);
});

test('a server without room for one more connection is known by either message', () => {
  assert.ok(isOutOfConnections(ofServer('53300')));
  assert.ok(isOutOfConnections(ofServer('08P01', 'no more connections allowed (max_client_conn)')));
  assert.equal(isOutOfConnections(ofServer('53100')), false);
});
