import { parseDateTime, toInstant } from '../lib/date-time.ts';
import { Type } from '../lib/schema.ts';
import { type Agent, defineTool, IDEMPOTENT_CHANGE } from './define-tool.ts';
import { dateTimeText, isBareDate } from './due-input.ts';
import { timeInWords } from './format-time.ts';
import { ToolFailure } from './tool-failure.ts';
import { dateTime, flag, tool, words } from './tool-schemas.ts';

interface Settings {
  readonly paused_until: string | null;
  readonly keep_must_not_miss: boolean;
}

interface Planned {
  readonly planned_pause: {
    readonly from: string;
    readonly until: string;
    readonly keep_must_not_miss: boolean;
  } | null;
}

const input = tool({
  until: Type.Optional(dateTime('When reminders start again. A date alone includes that day.')),
  from: Type.Optional(dateTime('When the pause starts; now if left out.')),
  keep_must_not_miss: Type.Optional(flag('Tasks that break quiet hours still remind; true if left out.')),
  end: Type.Optional(words(['now', 'planned'], 'Instead: ends the present pause, or cancels the planned one.')),
});

export const pauseReminders = defineTool({
  name: 'pause_reminders',
  title: 'Pause all reminders',
  description:
    'Pauses all reminders of the user, now or from a later day on (holidays): what falls due meanwhile is reminded of ' +
    'afterwards. Replaces the planned pause. Needs settings:write.',
  annotations: IDEMPOTENT_CHANGE,
  scope: 'settings:write',
  input,
  async run(agent, { until, from, keep_must_not_miss = true, end }) {
    if (end !== undefined) {
      if (until !== undefined || from !== undefined) throw invalid('Give either end, or until');
      const before = agent.canRead ? await readPauses(agent) : undefined;
      const url = end === 'now' ? '/v1/me/pause' : '/v1/me/pause/planned';
      await agent.api({ method: 'DELETE', url });
      return describe(agent, endInWords(end, before));
    }
    if (until === undefined) throw invalid('until: say when reminders start again');
    const before = agent.canRead ? await readPauses(agent) : undefined;
    const payload = { until: endOf(until), keep_must_not_miss };
    const start = from === undefined ? undefined : startOf(from, agent);
    if (start === undefined) await agent.api({ method: 'POST', url: '/v1/me/pause', payload });
    else await agent.api({ method: 'PUT', url: '/v1/me/pause/planned', payload: { ...payload, from: start } });
    return describe(agent, start === undefined ? 'Paused from now on.' : 'Planned.', replacedBy(start, before, agent));
  },
});

const invalid = (why: string) => new ToolFailure('invalid_input', why);

/** Undefined for now, today, or a moment of the last day: the pause starts at once. */
function startOf(from: string, { zone, now }: Agent): string | undefined {
  const text = isBareDate(from) ? `${dateTimeText(from)}T00:00` : dateTimeText(from);
  const written = parseDateTime(text);
  const age = written ? now.getTime() - toInstant(written, zone).getTime() : -1;
  if (age >= DAY_MS) throw invalid('from: it has passed; leave it out to start the pause now');
  return age >= 0 ? undefined : text;
}

const DAY_MS = 86_400_000;

/** The pause goes to the end of a day that is given alone. */
function endOf(until: string): string {
  if (!isBareDate(until)) return dateTimeText(until);
  try {
    return `${Temporal.PlainDate.from(dateTimeText(until)).add({ days: 1 })}T00:00`;
  } catch {
    throw invalid('until: Input should be a date that exists');
  }
}

async function readPauses(agent: Agent) {
  const [{ data: settings }, { data: planned }] = await Promise.all([
    agent.api<Settings>({ url: '/v1/me' }),
    agent.api<Planned>({ url: '/v1/me/pause/planned' }),
  ]);
  return { settings, ahead: planned.planned_pause };
}

type Pauses = Awaited<ReturnType<typeof readPauses>>;

/** What ending did, and which word ends the other pause if this one did not exist. */
function endInWords(end: 'now' | 'planned', before: Pauses | undefined): string {
  const isRunning = before?.settings.paused_until != null;
  if (end === 'now') {
    if (!before || isRunning) return 'The pause has ended.';
    return before.ahead ? 'Nothing changed; end: "planned" cancels the planned one.' : 'Nothing changed.';
  }
  if (!before || before.ahead) return 'The planned pause is cancelled.';
  return isRunning ? 'Nothing changed; end: "now" ends the running one.' : 'Nothing changed.';
}

/** The pause that the new one replaces. */
function replacedBy(start: string | undefined, before: Pauses | undefined, { zone }: Agent): string {
  const inWords = (text: string) => timeInWords(new Date(text), zone);
  const until = before?.settings.paused_until;
  if (start === undefined) return until == null ? '' : ` Before: paused until ${inWords(until)}.`;
  const ahead = before?.ahead;
  return ahead ? ` Before: planned from ${inWords(ahead.from)} until ${inWords(ahead.until)}.` : '';
}

/** Tells both pauses to a token that may read. */
async function describe(agent: Agent, what: string, replaced = '') {
  const { zone } = agent;
  if (!agent.canRead) return { text: `${what} (${zone})` };
  const { settings, ahead } = await readPauses(agent);
  const { paused_until: until, keep_must_not_miss } = settings;
  const kept = (keeps: boolean) =>
    keeps ? '; tasks that break quiet hours still remind' : '; nothing reminds meanwhile';
  const inWords = (text: string) => timeInWords(new Date(text), zone);
  const sentences = [
    what,
    until === null
      ? 'No pause is running.'
      : `Reminders are paused until ${inWords(until)}${kept(keep_must_not_miss)}.`,
    ahead === null
      ? 'No pause is planned.'
      : `A pause is planned from ${inWords(ahead.from)} until ${inWords(ahead.until)}${kept(ahead.keep_must_not_miss)}.`,
  ];
  return { text: `${sentences.join(' ')}${replaced} Times are in ${zone}.` };
}
