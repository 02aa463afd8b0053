/**
 * Parses a task in plain words: "pay rent every 1st 9am". The user sees the result before it is saved; still, leaving
 * words in the title is better than misreading them.
 */
import { alternativesIn } from './alternatives.ts';
import { dateReaders, endReaders, settleDoubt, shiftedReaders } from './find-date.ts';
import { settleLadder, takeLadder, takeTone, type WantedLadder, type WordsLadder } from './find-ladder.ts';
import { cutLabel, cutNotes, cutSpace, LEAD, MUST_NOT_MISS, type NamedSpace, ONCE } from './find-marks.ts';
import { lagReaders, soonReaders } from './find-offset.ts';
import { type Repeat, takeDaily, takeRepeat } from './find-rule.ts';
import { stopReaders } from './find-stop.ts';
import {
  bareHourReaders,
  doubtfulReaders,
  type FoundTime,
  pricedReaders,
  rangeReaders,
  timeReaders,
} from './find-time.ts';
import { steppedWindowReaders, windowReaders } from './find-window.ts';
import { fitTitle, joinNotes } from './fit-title.ts';
import type { DateContext } from './found-date.ts';
import type { FoundWords, Moment } from './found-words.ts';
import { type Choices, type Guess, type GuessKind, guessOf } from './guess.ts';
import type { PartOfDay } from './lexicon.ts';
import { isWithinDay, type Recurrence, stepMinutes } from './recurrence.ts';
import { type Reader, RemainingText } from './remaining-text.ts';
import { type Schedule, settle } from './schedule.ts';
import type { ScheduleOptions } from './schedule-options.ts';
import { MINUTES_A_DAY } from './settle-times.ts';
import { unreadIn } from './unread-words.ts';
import { toWallTime } from './wall-time.ts';
import { doubtOfWork } from './works.ts';
import { onOwnClock, zoneReaders } from './zones.ts';

export interface ParsedTask extends Schedule {
  readonly title: string;
  readonly mustNotMiss: boolean;
  readonly once: boolean;
  readonly leadDays: number | null;
  /** How the task insists, if the words say so. */
  readonly ladder: WordsLadder | null;
  readonly label: string | null;
  readonly space: NamedSpace | null;
  /** A name after `@` that is none of the person's spaces. */
  readonly unknownSpace: string | null;
  readonly notes: string | null;
  /** What did not fit into the title is in the notes. */
  readonly isLong: boolean;
}

/** A part of the result that the user can reject; its words then stay in the title. */
export type ParsedPart =
  | 'due'
  | 'recurrence'
  | 'mustNotMiss'
  | 'once'
  | 'leadDays'
  | 'ladder'
  | 'label'
  | 'space'
  | 'notes';

export interface ParseOptions extends ScheduleOptions {
  /** 3/12 is the third of December. */
  readonly dayFirst: boolean;
  readonly ignored?: ReadonlySet<ParsedPart>;
  /** The spaces that `@name` can mean. Without them it stays text. */
  readonly spaces?: readonly NamedSpace[];
}

/** Longer texts are not read; the field says so. */
export const MAX_TEXT_LENGTH = 2_000;

export function parseTask(text: string, options: ParseOptions): ParsedTask {
  const { ignored = new Set(), choices } = options;
  if (choices?.has('left')) return parseOne(text, { ...options, ignored: new Set([...ignored, 'due', 'recurrence']) });
  const two = ignored.has('due') ? undefined : alternativesIn(text);
  const task = two && parseOne(two[choices?.has('choice') ? 1 : 0], options);
  if (!task?.due) return parseOne(text, options);
  return withGuess(task, 'choice');
}

/** A text that leaves no choice between two moments. */
function parseOne(text: string, options: ParseOptions): ParsedTask {
  const { ignored = new Set(), choices = new Set() } = options;
  const marks = cutMarks(text, options);
  const rest = new RemainingText(marks.text, spellingOf(options.choices));
  const isMarked = (!ignored.has('mustNotMiss') && rest.take([MUST_NOT_MISS])) || false;
  const once = (!ignored.has('once') && rest.take([ONCE])) || false;
  const leadDays = ignored.has('leadDays') ? null : (rest.take([LEAD]) ?? null);
  const read = takeZoned(rest, options, ignored, marks.text.trim());
  // Another day than a rule can say: the words stay, and the time is taken as it is written.
  if (!read) return withGuess(parseOne(text, { ...options, choices: new Set([...choices, 'zone']) }), 'zone');
  const { title, overflow, schedule, isMoved, wanted } = read;
  const settled = settleLadder(wanted, isMarked, ignored.has('mustNotMiss') ? new Set() : choices);
  const needsDue = once || leadDays !== null;
  // Without a moment "2 days before" says nothing about reminders.
  if (needsDue && !schedule.due)
    return parseOne(text, { ...options, ignored: new Set([...ignored, 'once', 'leadDays']) });
  return {
    title,
    ...schedule,
    guesses: [
      ...spellingGuesses(rest, schedule),
      ...schedule.guesses,
      ...(isMoved ? [guessOf('zone')] : []),
      ...settled.guesses.map((kind): Guess => ({ kind, part: 'ladder' })),
      ...leftGuesses(rest, schedule, ignored),
    ],
    mustNotMiss: isMarked || settled.needsMust,
    once,
    leadDays,
    ladder: settled.ladder,
    label: marks.label,
    space: marks.space,
    unknownSpace: marks.unknownSpace,
    notes: joinNotes(overflow, marks.notes),
    isLong: overflow !== '',
  };
}

/** The schedule on the person's own clock, and the ladder. Undefined if a rule cannot say it there. */
function takeZoned(rest: RemainingText, options: ParseOptions, ignored: ReadonlySet<ParsedPart>, whole: string) {
  const { choices = new Set() } = options;
  const explicit = ignored.has('ladder') ? undefined : takeLadder(rest, choices);
  const zone = ignored.has('due') || options.choices?.has('zone') ? undefined : rest.take(zoneReaders);
  const there = zone === undefined ? options : { ...options, zone };
  const written = takeSchedule(rest, there, ignored);
  const isDated = hasMoment(written);
  const wanted = explicit ?? (ignored.has('ladder') || !isDated ? undefined : takeTone(rest, choices));
  const found = isDated || ignored.has('due') ? written : { ...written, ...beginningOf(wanted, there) };
  const { title, rest: overflow } = fitTitle(rest.words() || whole);
  const settled = settle(there, found, title);
  // Two times of a day repeat twice. Whoever rejects that means the first one.
  const kept = ignored.has('recurrence') ? { ...settled, recurrence: null } : settled;
  const schedule = zone === undefined ? kept : onOwnClock(kept, zone, options.zone);
  if (!schedule) return undefined;
  const isMoved = schedule.due?.hour !== settled.due?.hour || schedule.due?.minute !== settled.due?.minute;
  return { title, overflow, schedule, isMoved, wanted };
}

const hasMoment = ({ soon, day, time, repeat }: FoundWords): boolean =>
  soon !== undefined || day !== undefined || time !== undefined || repeat !== undefined;

/** "nag every 10 minutes" without a moment begins in ten minutes, and "once a day until done" today. */
function beginningOf(wanted: WantedLadder | undefined, { now, zone, choices }: ParseOptions): Moment {
  if (!wanted || choices?.has('begin')) return {};
  const wait = 'every' in wanted ? wanted.every : wanted.preset === 'daily' ? MINUTES_A_DAY : 0;
  if (wait >= MINUTES_A_DAY) return { day: { date: toWallTime(now, zone) }, isBeginning: true };
  return wait > 0 ? { soon: toWallTime(now + wait * 60_000, zone), isBeginning: true } : {};
}

/** Notes first, because nothing in them is read. */
function cutMarks(text: string, { ignored = new Set(), spaces }: ParseOptions) {
  const notes = ignored.has('notes') ? undefined : cutNotes(text);
  const label = ignored.has('label') ? undefined : cutLabel(notes?.text ?? text);
  const written = label?.text ?? notes?.text ?? text;
  const space = spaces === undefined || ignored.has('space') ? {} : cutSpace(written, spaces);
  return {
    text: space.text ?? written,
    notes: notes?.value ?? '',
    label: label?.value ?? null,
    space: space.value ?? null,
    unknownSpace: space.unknown ?? null,
  };
}

const withGuess = (task: ParsedTask, kind: GuessKind): ParsedTask => ({
  ...task,
  guesses: [...task.guesses, guessOf(kind)],
});

/** A name that stays on purpose has a guess of its own. */
function leftGuesses(
  rest: RemainingText,
  { guesses, due, hasTime }: Schedule,
  ignored: ReadonlySet<ParsedPart>,
): Guess[] {
  if (ignored.has('due') || ignored.has('recurrence') || guesses.some(({ kind }) => kind === 'name')) return [];
  const left = rest.find((text) => unreadIn(text, { hasDate: due !== null, hasTime }));
  return left === undefined ? [] : [{ ...guessOf('left'), left }];
}

const spellingOf = (choices: Choices | undefined) => (choices?.has('spelling') ? 'other' : 'corrected');

const spellingGuesses = ({ corrections }: RemainingText, { recurrence }: Schedule): Guess[] =>
  corrections.map((correction) => ({ kind: 'spelling', part: recurrence ? 'recurrence' : 'due', correction }));

/** Reads a text that must be nothing but a moment or a rule. Undefined if it is neither, or any other word is left. */
export function readSchedule(text: string, options: Omit<ParseOptions, 'ignored'>): Schedule | undefined {
  const rest = new RemainingText(text, 'left');
  const found = takeSchedule(rest, options, new Set());
  const schedule = settle(options, found, '');
  return schedule.due && rest.words() === '' ? schedule : undefined;
}

function takeSchedule(rest: RemainingText, options: ParseOptions, ignored: ReadonlySet<ParsedPart>): FoundWords {
  const { choices = new Set() } = options;
  let hasName = false;
  const context: DateContext = {
    today: toWallTime(options.now, options.zone),
    dayFirst: options.dayFirst,
    choices,
    onName: () => {
      hasName = true;
    },
  };
  const isOpen = (...parts: ParsedPart[]) => !parts.some((part) => ignored.has(part));
  const window = isOpen('due', 'recurrence') ? takeWindowOnDays(rest, choices) : undefined;
  const repeat = window?.repeat ?? (isOpen('recurrence') ? takeRepeat(rest, choices) : undefined);
  const isStepped = isWithinDay(repeat?.rule ?? null) && !window && !repeat?.rule.from && !rest.has(rangeReaders);
  const stop = isStepped && isOpen('due') ? rest.take(stopReaders(context, stepMinutes(repeat?.rule))) : undefined;
  const until = repeat && rest.take(endReaders(context));
  const moment: Moment = isOpen('due') ? takeMoment(rest, context, options, repeat, window?.time) : {};
  const isSeveral = !repeat && (moment.time?.times.length ?? 0) > 1 && isOpen('recurrence');
  const daily = isSeveral ? takeDaily(rest) : undefined;
  return { ...moment, repeat: repeat ?? daily, until, stop, hasName: hasName && !moment.day };
}

const BEFORE = /\b(?:before|after)\b/i;

function takeMoment(
  rest: RemainingText,
  context: DateContext,
  { now, zone }: ParseOptions,
  repeat: Repeat | undefined,
  times: FoundTime | undefined,
): Moment {
  const { choices } = context;
  const soon = rest.take(soonReaders);
  if (soon) {
    const minutes = choices.has('amount') ? (soon.few ?? soon.minutes) : soon.minutes;
    return { soon: toWallTime(now + minutes * 60_000, zone), ...(soon.few && { isFew: true }) };
  }
  const lag = rest.take(lagReaders);
  const shifted = rest.matches(BEFORE) ? rest.take(shiftedReaders(context)) : undefined;
  const day = shifted ?? rest.take(dateReaders(context));
  if (times) return { day, time: times };
  if (isWithinDay(repeat?.rule ?? null)) return { day, time: takeWindow(rest, repeat?.rule, day?.part) };
  const isBesideDay = day !== undefined || repeat !== undefined || lag !== undefined;
  return { day, lag, ...takeTime(rest, context, isBesideDay) };
}

function takeTime(rest: RemainingText, context: DateContext, isBesideDay: boolean): Pick<Moment, 'time' | 'isPriced'> {
  const { choices } = context;
  const time =
    rest.take(outsideNames(timeReaders, context)) ??
    (isBesideDay ? rest.take(bareHourReaders(choices)) : undefined) ??
    rest.take(outsideNames(doubtfulReaders(choices), context));
  if (time || !isBesideDay || !rest.has(pricedReaders)) return { time };
  return choices.has('name') ? { time: rest.take(pricedReaders) } : { isPriced: true };
}

/** "finish reading The 5 AM Club" names no time. */
const outsideNames = (readers: readonly Reader<FoundTime>[], context: DateContext): Reader<FoundTime>[] =>
  readers.map(([pattern, read]) => [
    pattern,
    (match, written) => {
      const { 0: words, index = 0 } = match;
      const time = read(match, written);
      const doubt = time && doubtOfWork(written, index, index + words.length);
      return doubt ? settleDoubt(time, doubt, context) : time;
    },
  ]);

/** "Every hour from 9 to 5 on weekdays": the window gives the times of the days. */
function takeWindowOnDays(rest: RemainingText, choices: Choices): { repeat: Repeat; time: FoundTime } | undefined {
  return rest.attempt(() => {
    const time = rest.take(steppedWindowReaders);
    const repeat = time && takeRepeat(rest, choices);
    return time && repeat?.rule.freq === 'weekly' && repeat.rule.by_weekday ? { repeat, time } : undefined;
  });
}

/** What no rule can say, as "every 10 minutes from 9 to 17" and "every 4 hours at 8 and 9", stays in the title. */
function takeWindow(rest: RemainingText, rule: Recurrence | undefined, part?: PartOfDay): FoundTime | undefined {
  const window = rule?.from === undefined && rest.take(windowReaders(stepMinutes(rule), part));
  if (window) return window;
  const singly = timeReaders.map(
    ([pattern, read]): Reader<FoundTime> => [
      pattern,
      (match, written) => {
        const time = read(match, written);
        return time && time.times.length < 2 ? time : undefined;
      },
    ],
  );
  return rest.has(rangeReaders) ? undefined : rest.take(singly);
}
