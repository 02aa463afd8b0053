/** Draws the ladder: each nudge is a bar on a time axis, the taller the stronger. */
import { useEffect, useRef } from 'react';
import { strings } from '../strings.ts';
import { formatDay, formatRelative, formatTime } from '../time/format.ts';
import type { LadderLayout, NudgeState, Rung } from './ladder-layout.ts';
import { stageColour } from './stage-badge.tsx';

const HEIGHT = 232;
const AXIS = 178;
const TOPS: Readonly<Record<string, number>> = { '-1': 142, '0': 116, '1': 78, '2': 40 };
const LABEL_PX = 44;

interface LadderProps {
  readonly layout: LadderLayout;
  readonly zone: string;
  readonly now: number;
}

export function Ladder({ layout, zone, now }: LadderProps) {
  const { rungs, width } = layout;
  const scroller = useRef<HTMLDivElement>(null);
  const nowX = layout.marks.find(({ kind }) => kind === 'now')?.x ?? 0;
  useEffect(() => {
    // Starts at the left if "now" is in view there; otherwise scrolls to it, with some of the past to its left. The view
    // begins before a nudge, so that no time is cut.
    const box = scroller.current;
    if (!box) return;
    const from = nowX - box.clientWidth * 0.4;
    const first = rungs.find(({ x }) => x >= from)?.x ?? from;
    box.scrollLeft = nowX < box.clientWidth * 0.7 ? 0 : first - LABEL_PX / 2;
  }, [nowX, rungs]);
  const coming = rungs.filter(({ state }) => state === 'coming');
  const summary = strings.detail.ladderSummary(
    rungs.length - coming.length,
    coming.length,
    coming[0] ? formatRelative(coming[0].at, now) : '',
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
    <section ref={scroller} tabIndex={0} aria-label={strings.detail.ladder} className="overflow-x-auto rounded-xl">
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={summary}
        className="mx-auto block"
      >
        <Patterns />
        <Holds layout={layout} />
        <Hairpin rungs={rungs} />
        <line x1="0" x2={width} y1={AXIS} y2={AXIS} stroke="var(--color-strong-line)" />
        <Breaks layout={layout} />
        {rungs.map((rung) => (
          <Bar key={`${rung.at}-${rung.state}`} rung={rung} />
        ))}
        <Marks layout={layout} />
        <Labels layout={layout} zone={zone} now={now} />
      </svg>
    </section>
  );
}

const Patterns = () => (
  <defs>
    <pattern id="hold" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width="7" height="7" fill="var(--color-night)" />
      <line x1="0" y1="0" x2="0" y2="7" stroke="var(--color-night-ink)" strokeWidth="1" opacity="0.35" />
    </pattern>
  </defs>
);

function Holds({ layout }: { readonly layout: LadderLayout }) {
  return layout.holds.map(({ from, x, width, names }) => (
    <g key={from} data-hold={names.join(' ')}>
      <rect x={x} y="14" width={Math.max(width, 6)} height={AXIS - 14} rx="6" fill="url(#hold)" />
      {width > 60 && (
        <text x={x + width / 2} y="28" textAnchor="middle" fontSize="11" fill="var(--color-night-ink)">
          {names.map((name) => strings.detail.held[name]).join(', ')}
        </text>
      )}
    </g>
  ));
}

const topOf = ({ stage }: Rung) => TOPS[String(stage)] ?? 116;

/** A crescendo sign behind the bars, from the first nudge to the last. */
function Hairpin({ rungs }: { readonly rungs: readonly Rung[] }) {
  const [first, last] = [rungs[0], rungs.at(-1)];
  if (!first || !last || first === last) return null;
  const steps = rungs.map((rung) => `L${rung.x} ${topOf(rung)}`).join(' ');
  return (
    <path
      d={`M${first.x} ${AXIS} ${steps} L${last.x} ${AXIS} Z`}
      fill="var(--color-ember)"
      opacity="0.07"
      strokeLinejoin="round"
    />
  );
}

function Breaks({ layout }: { readonly layout: LadderLayout }) {
  return layout.breaks.map((x) => (
    <g key={x} stroke="var(--color-strong-line)" strokeWidth="1.5">
      <rect x={x - 4} y={AXIS - 5} width="8" height="10" fill="var(--color-card)" stroke="none" />
      <path d={`M${x - 5} ${AXIS + 5}l4 -10M${x + 1} ${AXIS + 5}l4 -10`} />
    </g>
  ));
}

function Bar({ rung }: { readonly rung: Rung }) {
  const { x, stage, state } = rung;
  const top = topOf(rung);
  const colour = stageColour(stage);
  const isComing = state === 'coming';
  return (
    <g data-nudge={state} data-stage={stage}>
      <rect
        x={x - 5}
        y={top}
        width="10"
        height={AXIS - top}
        rx="5"
        fill={isComing ? 'var(--color-card)' : colour}
        stroke={colour}
        strokeWidth="1.5"
        strokeDasharray={isComing ? '3 3' : undefined}
        opacity={state === 'failed' || state === 'no_device' ? 0.45 : 1}
      />
      <circle
        cx={x}
        cy={top}
        r="9.5"
        fill={isComing ? 'var(--color-card)' : colour}
        stroke={colour}
        strokeWidth="1.5"
      />
      <Sign state={state} x={x} y={top} />
    </g>
  );
}

const SIGNS: Readonly<Partial<Record<NudgeState, string>>> = {
  acknowledged: 'M-4 0l3 3 5 -6',
  failed: 'M-3.500 -3.500l7 7M3.500 -3.500l-7 7',
  no_device: 'M-4 0h8',
  pending: 'M0 -4v4l2.500 2.500',
};

function Sign({ state, x, y }: { readonly state: NudgeState; readonly x: number; readonly y: number }) {
  const path = SIGNS[state];
  if (!path) return null;
  return (
    <path
      d={path}
      transform={`translate(${x} ${y})`}
      fill="none"
      stroke="var(--color-card)"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  );
}

function Marks({ layout }: { readonly layout: LadderLayout }) {
  return layout.marks.map(({ kind, at, x }) => {
    if (kind === 'now') return <Now key={kind} x={x} />;
    const words = kind === 'due' ? strings.detail.due : (strings.detail.events[kind] ?? kind).toLowerCase();
    return (
      <g key={`${kind}-${at}`} fill="var(--color-ink)">
        <path d={`M${x} ${AXIS - 6}l6 6l-6 6l-6 -6z`} stroke="var(--color-card)" strokeWidth="1.500" />
        <text x={x} y={AXIS + 48} textAnchor="middle" fontSize="11" fontWeight="600">
          {words}
        </text>
      </g>
    );
  });
}

const Now = ({ x }: { readonly x: number }) => (
  <g>
    <line
      x1={x}
      x2={x}
      y1="20"
      y2={AXIS + 6}
      stroke="var(--color-ink)"
      strokeWidth="1.5"
      strokeDasharray="1 4"
      strokeLinecap="round"
    />
    <rect x={x - 18} y="4" width="36" height="18" rx="9" fill="var(--color-ink)" />
    <text x={x} y="17" textAnchor="middle" fontSize="11" fontWeight="600" fill="var(--color-paper)">
      {strings.detail.now}
    </text>
  </g>
);

/** The time under each nudge where it fits, and the day where it changes. */
function Labels({ layout, zone, now }: LadderProps) {
  let lastX = Number.NEGATIVE_INFINITY;
  let lastDay = '';
  return layout.rungs.map(({ at, x, state }) => {
    if (x - lastX < LABEL_PX) return null;
    const day = formatDay(at, zone, now);
    const isNewDay = day !== lastDay;
    lastX = x;
    lastDay = day;
    return (
      <g key={`${at}-${state}`} textAnchor="middle">
        <text x={x} y={AXIS + 19} fontSize="12" fill="var(--color-ink)">
          {formatTime(at, zone)}
        </text>
        {isNewDay && (
          <text x={x} y={AXIS + 34} fontSize="11" fill="var(--color-soft)">
            {day}
          </text>
        )}
      </g>
    );
  });
}
