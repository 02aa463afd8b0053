/** A client sends a request under a key, does not know whether it arrived, and sends it again. */
import type { Task } from '../../../src/tasks/task-state.ts';
import type { Alongside } from '../../../src/tasks/tasks.service.ts';
import { callerOf, follow } from '../actions.ts';
import type { KeyedAnswer } from '../keyed-requests.ts';
import { act } from '../model/task.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { Answer, Services } from '../process.ts';
import type { Random } from '../random.ts';
import { doom } from '../trouble.ts';
import { relationOf } from '../visibility.ts';
import type { World } from '../world.ts';
import { drawTask, followCreation, inputOf, nextTitle } from './tasks.ts';

/** How long the key of a process that died is in progress, and a little more. */
const FREE_AFTER_MS = 7_000;
const MOST_TRIES = 5;

/** A request that has an effect each time it is carried out. */
interface Request {
  readonly sentence: string;
  readonly body: object;
  readonly send: (services: Services, alongside: Alongside) => Promise<Task>;
  /** The model follows the answer to a request that was carried out, or may have been. */
  readonly follow: (answer: Answer<Task>) => void;
  readonly isDone: () => boolean;
}

const TROUBLES = ['none', 'the commit fails', 'the process dies', 'the process dies', 'two at once'] as const;

const keyed: StepKind = {
  // Worlds in which clients repeat requests have their own number of these.
  weight: 0,
  async run(world, actor, random) {
    if (world.process.isDoomed) return;
    const request = random.chance(0.5) ? creation(world, actor, random) : completion(world, actor, random);
    if (!request) return;
    const key = `key ${world.story.length}`;
    const trouble = random.pick(TROUBLES);
    world.tell(`${actor.name} asks under a key to ${request.sentence}; ${trouble}`);
    const once = { world, actor, key, request };
    if (trouble === 'two at once') await sendBoth(once);
    else await sendUntilAnswered(once, trouble, random);
  },
};

export const steps = { keyed };

function creation(world: World, actor: Person, random: Random): Request {
  const drawn = { title: nextTitle(world), space: null, ...drawTask(world, actor, random) };
  const input = inputOf(actor, drawn);
  return {
    sentence: `${actor.name} creates “${drawn.title}”: ${JSON.stringify(input)}`,
    body: input,
    send: ({ tasks }, alongside) => tasks.create(callerOf(actor), input, alongside),
    follow: (answer) => followCreation(world, answer, actor, actor, drawn),
    isDone: () => [...world.tasks.values()].some(({ title }) => title === drawn.title),
  };
}

/** It names no occurrence, so that a second one would close the next. */
function completion(world: World, actor: Person, random: Random): Request | undefined {
  const open = [...world.tasks.values()].filter(
    ({ id, owner, isOpen, isAccepted }) =>
      owner === actor.id &&
      isOpen &&
      isAccepted &&
      !world.corrections.loose.has(id) &&
      !world.corrections.unsettled.has(id),
  );
  const series = open.filter(({ rule }) => rule !== null);
  const choices = series.length > 0 ? series : open;
  if (choices.length === 0) return undefined;
  const task = random.pick(choices);
  const asked = {
    person: actor,
    predict: (current: typeof task) =>
      act(current, { name: 'complete' }, 'owner', world.settingsOf(current), world.now),
    relate: relationOf,
  };
  return {
    sentence: `complete “${task.title}”`,
    body: { id: task.id },
    send: ({ tasks }, alongside) => tasks.act(callerOf(actor), task.id, { name: 'complete' }, alongside),
    follow: (answer) => follow(world, task.id, answer, asked),
    isDone: () => {
      const current = world.tasks.get(task.id);
      return current?.run !== task.run || current.status !== task.status;
    },
  };
}

interface Once {
  readonly world: World;
  readonly actor: Person;
  readonly key: string;
  readonly request: Request;
}

const NOTHING: Alongside = async () => {};

const ask = ({ world, actor, key, request }: Once, alongside = NOTHING): Promise<Answer<KeyedAnswer<Task>>> =>
  world.call((services) =>
    services.keyed({ caller: callerOf(actor), key, url: request.sentence, body: request.body }, () =>
      request.send(services, alongside),
    ),
  );

type Trouble = (typeof TROUBLES)[number];

/** The last answer is the one to a request that was carried out before. */
async function sendUntilAnswered(once: Once, trouble: Trouble, random: Random): Promise<void> {
  const { world, request } = once;
  const downMs = random.pick([0, 1_000, 70_000]);
  const { alongside, save } = prepare(world, trouble, random, downMs);
  let [text, wasLost, lostAttempt]: [string | undefined, boolean, number] = [undefined, false, -1];
  for (let attempt = 0; attempt < MOST_TRIES && !world.isGivenUp; attempt += 1) {
    const wasDone = request.isDone();
    const answer = await ask(once, alongside);
    if (answer === 'no answer') {
      if (!wasDone) request.follow(answer);
      wasLost = true;
      lostAttempt = attempt;
      await world.pass(downMs + 1_000);
    } else if (wasDone) {
      checkRepetition(once, answer, text, wasLost);
      break;
    } else if (isInProgress(answer)) await waitFor(world, wasLost && attempt === lostAttempt + 1);
    else text = learn(once, answer);
  }
  save();
}

const isInProgress = (answer: Exclude<Answer<unknown>, 'no answer'>): boolean =>
  'refusal' in answer && answer.refusal === 'request_in_progress';

async function waitFor(world: World, mayBeInProgress: boolean): Promise<void> {
  if (!mayBeInProgress) world.fail('one effect per key', 'A key is in progress, and nobody works on it.');
  await world.pass(FREE_AFTER_MS);
}

/** A commit that fails lets the transaction run again. The process dies before it, in the middle of it, or soon after. */
function prepare(world: World, trouble: Trouble, random: Random, downMs: number) {
  const { process } = world;
  const commitFails = trouble === 'the commit fails' || random.chance(0.3);
  const isInTheMiddle = random.chance(0.6);
  const operations = random.between(1, isInTheMiddle ? 12 : 25);
  const isDeadly = trouble === 'the process dies';
  const save = isDeadly ? doom(world, downMs) : () => {};
  if (isDeadly && !isInTheMiddle) process.dieAfter(operations);
  let runs = 0;
  const alongside = async () => {
    runs += 1;
    if (commitFails && runs === 1) process.failNextCommit();
    if (isDeadly && isInTheMiddle && runs === (commitFails ? 2 : 1)) process.dieAfter(operations);
  };
  return { alongside, save };
}

/** The model follows the answer to a request that was not carried out before. Returns the answer, if it was now. */
function learn({ world, request }: Once, answer: Answer<KeyedAnswer<Task>>): string | undefined {
  if (answer === 'no answer' || 'refusal' in answer) {
    request.follow(answer);
    return undefined;
  }
  const { value, text } = answer.value;
  if (!value) return world.fail('one effect per key', 'There is an answer to a request that was never carried out.');
  request.follow({ value });
  return text;
}

/** Without the first answer, a client is told that there was one, or gets it. */
function checkRepetition(
  { world, request }: Once,
  answer: Exclude<Answer<KeyedAnswer<Task>>, 'no answer'>,
  text: string | undefined,
  wasLost: boolean,
): void {
  if ('refusal' in answer) {
    const isKnown = /^(request_in_progress|idempotency_key_spent)$/.test(answer.refusal);
    if (!isKnown || !wasLost)
      world.fail('one effect per key', `A repeated request was refused with ${answer.refusal}.`);
  } else if (answer.value.value || (text !== undefined && text !== answer.value.text))
    world.fail('one effect per key', `It was carried out twice: ${request.sentence}.`);
}

/** One is carried out; the other waits for its answer, or gets it. */
async function sendBoth(once: Once): Promise<void> {
  const { world, request } = once;
  const askedMs = world.elapsedMs;
  const answers = await Promise.all([ask(once), ask(once)]);
  if (world.giveUpIfLate(askedMs)) return;
  const [carriedOut, second] = answers.filter((one) => one !== 'no answer' && 'value' in one && one.value.value);
  if (second) world.fail('one effect per key', `It was carried out twice at once: ${request.sentence}.`);
  const [first = 'no answer'] = answers;
  const text = learn(once, carriedOut ?? first);
  if (world.isGivenUp || text === undefined) return;
  const other = { ...once, request: { ...request, body: { ...request.body, other: true } } };
  const [again, reused] = [await ask(once), await ask(other)];
  if (again !== 'no answer') checkRepetition(once, again, text, false);
  if (reused !== 'no answer' && !('refusal' in reused && reused.refusal === 'idempotency_key_reused'))
    world.fail('one effect per key', 'A key served another request.');
}
