import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toOpenMetrics, wantsOpenMetrics } from './exposition.ts';

test('a counter loses the ending of its name in its description alone, a gauge of such a name keeps it', () => {
  const counter = '# HELP a_total So many.\n# TYPE a_total counter\na_total 1\n';
  const gauge = '# HELP b_total At once.\n# TYPE b_total gauge\nb_total 2\n';
  assert.equal(
    toOpenMetrics(`${counter}\n${gauge}`),
    `# HELP a So many.\n# TYPE a counter\na_total 1\n${gauge}# EOF\n`,
  );
});

test('the newer format is for whoever names it first', () => {
  for (const accept of [
    'application/openmetrics-text',
    'application/vnd.x;q=1,application/OpenMetrics-text,text/plain',
  ]) {
    assert.equal(wantsOpenMetrics(accept), true, accept);
  }
  for (const accept of [undefined, '', '*/*', 'text/plain', 'text/plain,application/openmetrics-text;q=0.1']) {
    assert.equal(wantsOpenMetrics(accept), false, String(accept));
  }
});
