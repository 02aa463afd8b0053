import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefersOpenMetrics, toOpenMetrics } from './openmetrics.ts';

test('a counter loses the suffix _total only in HELP and TYPE, and a gauge keeps it', () => {
  const counter = '# HELP a_total Count.\n# TYPE a_total counter\na_total 1\n';
  const gauge = '# HELP b_total Level.\n# TYPE b_total gauge\nb_total 2\n';
  assert.equal(toOpenMetrics(`${counter}\n${gauge}`), `# HELP a Count.\n# TYPE a counter\na_total 1\n${gauge}# EOF\n`);
});

test('a scraper gets OpenMetrics if it lists that format first', () => {
  for (const accept of [
    'application/openmetrics-text',
    'application/vnd.x;q=1,application/OpenMetrics-text,text/plain',
  ]) {
    assert.equal(prefersOpenMetrics(accept), true, accept);
  }
  for (const accept of [undefined, '', '*/*', 'text/plain', 'text/plain,application/openmetrics-text;q=0.1']) {
    assert.equal(prefersOpenMetrics(accept), false, String(accept));
  }
});
