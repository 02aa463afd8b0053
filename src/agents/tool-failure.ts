/** Why a tool call failed, as a text that a model can act on. */
import { type ErrorCode, errorCatalogue, type InputProblem } from '../lib/errors.ts';
import { type TimeContext, timeInWords } from './format-time.ts';
import { quoted } from './shown-text.ts';

/** `invalid_input` stands for the API's 422 answers, which have no code in the catalogue. */
type FailureCode = ErrorCode | 'invalid_input';

export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly code: FailureCode;
  readonly retryAfterSeconds: number | undefined;
  /** The scope that the token lacks. */
  readonly missingScope: string | undefined;

  constructor(code: FailureCode, sentence: string, retryAfterSeconds?: number, missingScope?: string) {
    super(sentence);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.missingScope = missingScope;
  }
}

/** For errors that the caller cannot fix. */
export const internalFailure = (): ToolFailure => new ToolFailure('internal', errorCatalogue.internal.sentence);

const SENT_AS_HEADER: Readonly<Record<string, string>> = { 'Idempotency-Key': 'idempotency_key' };

/** Names the arguments of the tool. The first element of `loc` is dropped: it only says which part of the request it was. */
export function invalidInput(problems: readonly InputProblem[]): ToolFailure {
  const lines = problems.map(({ loc, msg }) => {
    const path = loc.slice(1).map(nameOf).join('.');
    return path === '' ? msg : `${SENT_AS_HEADER[path] ?? path}: ${msg}`;
  });
  return new ToolFailure('invalid_input', lines.join('; '));
}

/** A key that the agent made up is quoted: it can read like a sentence of ours. */
const nameOf = (key: string | number): string =>
  /^[\w-]{1,60}$/.test(String(key)) ? String(key) : quoted(String(key), 40);

const TRY_LATER = 'This is not about your arguments: wait a little and call again with the same ones.';

/** What an agent can do about a failure. The API's sentences, written for people, do not say it. */
const ADVICE: Partial<Record<FailureCode, string>> = {
  not_found: 'Call list_tasks (status "all") for the ids of the tasks that exist; do not guess one.',
  scope_required:
    'Calling again does not help. Ask the user to connect you again and tick that permission on the page that asks, or for ' +
    'an access token with that scope; the guide says how.',
  session_required: 'Calling again does not help: the user does this in the app.',
  not_allowed:
    "The same call again does not help: an access token acts on its own user's tasks only, within its limits.",
  task_closed: 'task_status tells what became of it; create_task makes a new one.',
  task_not_accepted: 'The user has to accept this request first: with answer_request of /mcp/all, or in the app.',
  task_not_pending: 'It is no request any more: close_tasks drops it, if the user wants that.',
  occurrence_passed: 'Call task_status for the present due_at, and ask the user which occurrence is meant.',
  idempotency_key_reused: 'Take another idempotency_key, or repeat the first call with exactly the same arguments.',
  idempotency_key_spent: 'The first call with this idempotency_key worked: look with list_tasks.',
  request_in_progress:
    'The first call with this idempotency_key may have worked: look with list_tasks before going on.',
  too_many_open_tasks:
    'Waiting does not help. Complete or close tasks that are done (list_tasks shows them), or ask the user for a token ' +
    'with a higher limit.',
  too_many_tasks: 'Waiting does not help. Ask the user to remove old tasks in the app.',
  nothing_to_reopen:
    'Only the last done, skipped or dropped of the past 24 hours can be undone; create_task makes a new one.',
  nothing_to_restore: 'update_task sets what the user wants.',
  unauthenticated: 'The access token was revoked or has expired. Ask the user for a new one.',
  too_many_requests: TRY_LATER,
  overloaded: TRY_LATER,
  timed_out: TRY_LATER,
  database_unavailable: TRY_LATER,
  internal: TRY_LATER,
};

/** Their Retry-After tells programs to ask again later, but only closing a task helps. */
const WAITING_IS_NO_HELP: readonly FailureCode[] = ['too_many_open_tasks', 'too_many_tasks'];

/** The text for the model: the code, what is wrong, then what to do. */
export function explainFailure(failure: ToolFailure, context: TimeContext): string {
  const isAboutTime = failure.retryAfterSeconds !== undefined && !WAITING_IS_NO_HELP.includes(failure.code);
  const wait = !isAboutTime ? '' : ` Wait ${failure.retryAfterSeconds} seconds.`;
  const advice = failure.code === 'invalid_input' ? adviceOnInput(failure, context) : (ADVICE[failure.code] ?? '');
  return `${failure.code}: ${failure.message}${/[.!?]$/.test(failure.message) ? '' : '.'} ${advice}${wait}`.trim();
}

const ABOUT_TIME = /^(?:due_at|until|from|duration|due_from|due_until|occurrence_due_at)\b/;
const SAYS_WHAT_TO_DO = /\ballow_past: true$|^recurrence/;

function adviceOnInput({ message }: ToolFailure, { zone, now }: TimeContext): string {
  if (message.startsWith('task_id')) return ADVICE.not_found ?? '';
  if (SAYS_WHAT_TO_DO.test(message)) return `It is ${timeInWords(now, zone)} in ${zone}.`;
  const correct = 'Correct the named arguments and call again.';
  if (!ABOUT_TIME.test(message)) return correct;
  const times = 'Times are ISO 8601, such as 2026-12-01T18:00, and without an offset are read in';
  return `${correct} ${times} ${zone}, where it is ${timeInWords(now, zone)}.`;
}
