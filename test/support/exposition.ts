/** Parses a scrape strictly by the specifications of Prometheus' text format and OpenMetrics. Fails on any deviation. */
import assert from 'node:assert/strict';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

export type Format = 'prometheus' | 'openmetrics';

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (-?(?:[0-9.]+(?:e[+-]?[0-9]+)?|Inf)|\\+Inf|NaN)$`);
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gy;
const TYPES = ['counter', 'gauge', 'histogram', 'summary'];

export function parseExposition(text: string, format: Format): Map<string, Family> {
  const families = new Map<string, Family>();
  assert.ok(text.endsWith(format === 'openmetrics' ? '\n# EOF\n' : '\n'), 'the end is missing');
  const lines = text.slice(0, -1).split('\n');
  if (format === 'openmetrics') assert.equal(lines.pop(), '# EOF');
  let open: [string, Family] | undefined;
  let help: [string, string] | undefined;
  for (const line of lines) {
    if (line === '' && format === 'prometheus') continue;
    const [, word, name = '', rest = ''] = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`).exec(line) ?? [];
    if (word === 'HELP') {
      help = [name, rest];
    } else if (word === 'TYPE') {
      assert.ok(!families.has(name), `${name} is described twice`);
      assert.equal(help?.[0], name, `${name} has no help`);
      assert.ok(TYPES.includes(rest), line);
      open = [name, { type: rest, help: help?.[1] ?? '', samples: [] }];
      families.set(...open);
    } else {
      assert.ok(open, `a sample without a description: ${line}`);
      open[1].samples.push(parseSample(line, open[0], open[1].type, format));
    }
  }
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}

function parseSample(line: string, family: string, type: string, format: Format): Sample {
  const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? assert.fail(`not a sample: ${line}`);
  const suffix = name.startsWith(family)
    ? name.slice(family.length)
    : assert.fail(`${name} does not belong to ${family}`);
  const allowed = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  const expected = type === 'counter' && format === 'openmetrics' ? ['_total'] : allowed;
  assert.ok(expected.includes(suffix), `${name} of ${type} ${family}`);
  return { name, labels: parseLabels(labels), value: value.endsWith('Inf') ? Number.POSITIVE_INFINITY : Number(value) };
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  let end = 0;
  for (const match of text.matchAll(LABEL)) {
    const [whole, name = '', value = ''] = match;
    assert.equal(match.index, end, text);
    assert.ok(!(name in labels), `${name} twice in ${text}`);
    labels[name] = value;
    end += whole.length;
  }
  assert.equal(end, text.length, text);
  return labels;
}

/** Prometheus reserves these labels for the types that they belong to, and its linter says so. */
const RESERVED = { quantile: 'summary', le: 'histogram' };

function checkFamily(name: string, { type, samples }: Family): void {
  for (const [label, owner] of Object.entries(RESERVED)) {
    const isMisused = type !== owner && samples.some(({ labels }) => label in labels);
    assert.ok(!isMisused, `${name} is a ${type} with the label ${label}`);
  }
  const keys = samples.map((sample) => JSON.stringify([sample.name, Object.entries(sample.labels).sort()]));
  assert.equal(new Set(keys).size, keys.length, `${name} has a series twice`);
  if (type !== 'histogram') return;
  const keyOf = ({ labels: { le, ...others } }: Sample) => JSON.stringify(Object.entries(others).sort());
  for (const series of Map.groupBy(samples, keyOf).values()) {
    const buckets = series.filter((sample) => sample.name === `${name}_bucket`).map(({ value }) => value);
    assert.deepEqual(
      buckets,
      buckets.toSorted((a, b) => a - b),
      `the buckets of ${name} decrease`,
    );
    assert.equal(series.findLast((sample) => sample.name === `${name}_bucket`)?.labels.le, '+Inf');
    assert.equal(series.find((sample) => sample.name === `${name}_count`)?.value, buckets.at(-1), name);
  }
}
