/**
 * The blueprint against what the documentation of Home Assistant says of blueprints, selectors, triggers and actions
 * (https://www.home-assistant.io/docs/blueprint/schema), and against what a webhook of ours contains. There is no Home
 * Assistant to run it in.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ChannelMessage } from '../../src/push/channel-provider.ts';
import { messageBody, retractionBody } from '../../src/push/webhook/payload.ts';
import { CONFIRMATION } from '../support/sample-messages.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILE = 'deploy/home-assistant/crescendo-lamp.yaml';
/** Triggers, conditions and actions have these names since then. */
const PLURAL_SINCE = 2024 * 100 + 10;

/** The reader of YAML that the description of the API is written with. */
const { parse } = createRequire(import.meta.resolve('@fastify/swagger'))('yaml') as {
  parse(text: string, options: { customTags: readonly object[] }): Record<string, unknown>;
};

class Input {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const read = () =>
  parse(readFileSync(join(ROOT, FILE), 'utf8'), {
    customTags: [{ tag: '!input', resolve: (name: string) => new Input(name) }],
  });

type Node = Readonly<Record<string, unknown>>;

/** Every map inside the value, and the value itself. */
function* mapsIn(value: unknown): Generator<Node> {
  if (value instanceof Input || typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Node;
  for (const inner of Object.values(value)) yield* mapsIn(inner);
}

const inputsIn = (value: unknown): string[] =>
  value instanceof Input
    ? [value.name]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(inputsIn)
      : [];

function assertKeys(value: unknown, allowed: string, where: string): void {
  const unknown = Object.keys((value ?? {}) as object).filter((key) => !allowed.split(' ').includes(key));
  assert.deepEqual(unknown, [], where);
}

const SELECTORS: Readonly<Record<string, string>> = {
  text: 'autocomplete multiline multiple prefix suffix type',
  entity:
    'device_class domain exclude_entities filter include_entities integration multiple reorder supported_features',
  boolean: '',
};
const ANY_TRIGGER = 'alias enabled id trigger variables';
const TRIGGERS: Readonly<Record<string, string>> = {
  webhook: `${ANY_TRIGGER} allowed_methods local_only webhook_id`,
  state: `${ANY_TRIGGER} attribute entity_id for from not_from not_to to`,
};
const ANY_STEP = 'alias continue_on_error enabled';
/** By the key that says what a step does. */
const STEPS: Readonly<Record<string, string>> = {
  action: `${ANY_STEP} action data metadata response_variable target`,
  choose: `${ANY_STEP} choose default`,
  wait_for_trigger: `${ANY_STEP} continue_on_timeout timeout wait_for_trigger`,
};

function checkTriggers(triggers: unknown): void {
  assert.ok(Array.isArray(triggers) && triggers.length > 0, 'there is a trigger');
  for (const trigger of triggers as Node[]) {
    const allowed = TRIGGERS[String(trigger.trigger)];
    assert.ok(allowed, `${trigger.trigger} is a trigger`);
    assertKeys(trigger, allowed, `the trigger ${trigger.trigger}`);
  }
}

function checkSteps(steps: unknown): void {
  assert.ok(Array.isArray(steps) && steps.length > 0, 'there is an action');
  for (const step of steps as Node[]) {
    const kind = Object.keys(STEPS).find((key) => key in step);
    assert.ok(kind, `${JSON.stringify(step)} is an action`);
    assertKeys(step, STEPS[kind] ?? '', `the action ${kind}`);
    if (kind === 'action') assert.match(String(step.action), /^[a-z_]+\.[a-z_]+$/);
    if (kind === 'wait_for_trigger') checkTriggers(step.wait_for_trigger);
    for (const option of (step.choose ?? []) as Node[]) {
      assertKeys(option, 'alias conditions sequence', 'an option of choose');
      assert.match(String(option.conditions), /^\{\{.*\}\}$/s);
      checkSteps(option.sequence);
    }
  }
}

test('the blueprint has the fields, selectors and inputs that Home Assistant documents', () => {
  const { blueprint, ...automation } = read() as { blueprint: Node };
  assertKeys(blueprint, 'author description domain homeassistant input name source_url', 'the blueprint');
  assert.ok(blueprint.name);
  assert.equal(blueprint.domain, 'automation');
  const { min_version } = blueprint.homeassistant as { min_version: string };
  assert.match(min_version, /^\d{4}\.\d{1,2}\.\d+$/);
  const [year = 0, month = 0] = min_version.split('.').map(Number);
  assert.ok(year * 100 + month >= PLURAL_SINCE, min_version);
  const inputs = Object.entries(blueprint.input as Record<string, Node>);
  for (const [name, input] of inputs) {
    assertKeys(input, 'default description name selector', name);
    const [[selector = '', options] = [], ...more] = Object.entries(input.selector as Node);
    assert.deepEqual(more, [], `${name} has one selector`);
    assert.ok(selector in SELECTORS, `${name}: ${selector} is a selector`);
    assertKeys(options, SELECTORS[selector] ?? '', `the selector of ${name}`);
  }
  const declared = inputs.map(([name]) => name).toSorted();
  assert.deepEqual([...new Set(inputsIn(automation))].toSorted(), declared, 'each input is declared, and used');
});

test('its automation uses the current names, and a webhook trigger that takes POST alone', () => {
  const { blueprint: _, ...automation } = read();
  assertKeys(automation, 'actions conditions max max_exceeded mode trigger_variables triggers variables', 'automation');
  assert.match(String(automation.mode), /^(single|restart|queued|parallel)$/);
  const old = [...mapsIn(automation)]
    .flatMap((map) => Object.keys(map))
    .filter((key) => /^(service|platform)$/.test(key));
  assert.deepEqual(old, [], 'names of before 2024.8');
  checkTriggers(automation.triggers);
  checkSteps(automation.actions);
  const [webhook] = automation.triggers as Node[];
  assert.equal(webhook?.trigger, 'webhook');
  assert.deepEqual(webhook?.allowed_methods, ['POST']);
  assert.ok(webhook?.local_only instanceof Input, 'its user decides whether calls come from the internet');
});

test('it reads what a webhook contains, and the documentation says that it was not run', () => {
  const actions = { page: 'p', done: 'd', snooze: 's', seen: 'e' };
  const buttons = [{ action: 'done', label: 'Done', url: actions.done }];
  const message = (kind: string) => ({ kind, stage: 1, request: null, actions, buttons }) as unknown as ChannelMessage;
  const now = new Date();
  const bodies = [
    messageBody(message('nudge'), now),
    messageBody(message('test'), now),
    messageBody({ ...message('confirm'), confirm: CONFIRMATION }, now),
    retractionBody({ id: '', taskId: '', refs: [] } as never, now),
  ].map((body) => JSON.parse(body));
  const { variables, actions: steps } = read();
  const fields = [...JSON.stringify(variables).matchAll(/trigger\.json\.([a-z_.]+)/g)].map(([, path = '']) => path);
  assert.deepEqual(fields.toSorted(), ['data.actions.done', 'data.code', 'data.stage', 'type']);
  for (const path of fields) {
    const found = bodies.map((body) => path.split('.').reduce((value, name) => value?.[name], body));
    assert.ok(
      found.some((value) => value !== undefined),
      path,
    );
  }
  const shown = [...mapsIn(steps)].find(({ action }) => action === 'persistent_notification.create');
  assert.match(JSON.stringify(shown?.data), /\{\{ code \}\}/, 'the code is shown to a person');
  const kinds = [...JSON.stringify(steps).matchAll(/kind == '([a-z.]+)'/g)].map(([, kind = '']) => kind);
  assert.deepEqual(kinds.toSorted(), bodies.map(({ type }) => type).toSorted());
  const docs = readFileSync(join(ROOT, 'docs/channels.md'), 'utf8');
  assert.match(docs, /\*\*has not been run in a real Home Assistant yet\*\*/);
  const [command = ''] = JSON.stringify(steps).match(/rest_command\.\w+/) ?? [];
  assert.ok(docs.includes(`rest_command:\n     ${command.split('.')[1]}:`), command);
});
