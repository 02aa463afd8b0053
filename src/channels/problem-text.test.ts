import assert from 'node:assert/strict';
import { test } from 'node:test';
import { words } from '../lib/words.ts';
import { explainProblem, toTestOut } from './problem-text.ts';

const { otherChannelProblems: other } = words;

test('every reason is a sentence that fits it', () => {
  const sentences: Readonly<Record<string, string>> = {
    http_404: other.unknownAddress,
    http_302: other.redirects('302'),
    http_503: other.ownFault('503'),
    http_413: other.refused('413'),
    smtp_550: other.mailRefused('550'),
    sms_30003: other.sms,
    some_reason: other.unknown('some_reason'),
    credentials_refused: words.channelProblems.credentials_refused ?? assert.fail('There is a sentence.'),
  };
  for (const [reason, sentence] of Object.entries(sentences)) assert.equal(explainProblem(reason), sentence, reason);
});

test('a test says whether another one may succeed', () => {
  const reason = 'http_400';
  assert.deepEqual(toTestOut({ kind: 'accepted' }), { status: 'sent', reason: null, problem: null });
  for (const kind of ['gone', 'rejected'] as const)
    assert.equal(toTestOut({ kind, reason }).status, 'failed_permanent', kind);
  for (const kind of ['retry', 'misconfigured'] as const)
    assert.equal(toTestOut({ kind, reason }).status, 'failed_transient', kind);
});
