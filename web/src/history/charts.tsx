import { screenStrings } from '../screen-strings.ts';
import { formatShortDate } from '../time/format.ts';
import type { Week } from './figures.ts';

const { history: words } = screenStrings;

const BAR = 18;
const GAP = 12;
const HEIGHT = 110;
const TOP = 18;

/** Done bars grow upwards and skipped bars downwards, so that a bad week looks different and not only shorter. */
export function WeeksChart({ weeks, zone }: { readonly weeks: readonly Week[]; readonly zone: string }) {
  const maxDone = Math.max(1, ...weeks.map(({ done }) => done));
  const maxSkipped = Math.max(0, ...weeks.map(({ skipped }) => skipped));
  const unit = Math.min(18, HEIGHT / (maxDone + maxSkipped));
  const line = TOP + maxDone * unit;
  const width = weeks.length * (BAR + GAP);
  const height = line + maxSkipped * unit + 46;
  const summary = weeks
    .filter(({ done, skipped }) => done + skipped > 0)
    .map(({ start, done, skipped }) => words.week(formatShortDate(start, zone), done, skipped))
    .join('. ');
  return (
    <svg
      viewBox={`-8 0 ${width + 16} ${height}`}
      className="mx-auto w-full max-w-lg"
      role="img"
      aria-label={words.byWeekSummary(summary)}
    >
      {weeks.map(({ start, done, skipped }, index) => {
        const x = index * (BAR + GAP) + GAP / 2;
        return (
          <g key={start} fontSize="12" textAnchor="middle">
            <rect x={x} y={line - done * unit} width={BAR} height={done * unit} rx="5" fill="var(--color-good)" />
            <rect
              x={x}
              y={line + 2}
              width={BAR}
              height={skipped * unit}
              rx="5"
              fill="var(--color-stage-0)"
              opacity="0.75"
            />
            {done > 0 && (
              <text x={x + BAR / 2} y={line - done * unit - 5} fill="var(--color-ink)">
                {done}
              </text>
            )}
            {skipped > 0 && (
              <text x={x + BAR / 2} y={line + skipped * unit + 16} fill="var(--color-ink)">
                {skipped}
              </text>
            )}
            {(weeks.length - 1 - index) % 3 === 0 && (
              <text x={x + BAR / 2} y={height - 6} fill="var(--color-soft)">
                {formatShortDate(start, zone)}
              </text>
            )}
          </g>
        );
      })}
      <line x1="0" x2={width} y1={line + 1} y2={line + 1} stroke="var(--color-strong-line)" />
    </svg>
  );
}

/** A description list with bars, so that screen readers get the figures too. */
export function DelaysChart({ counts }: { readonly counts: readonly number[] }) {
  const max = Math.max(1, ...counts);
  return (
    <dl className="grid gap-2">
      {words.delayBuckets.map((name, index) => {
        const count = counts[index] ?? 0;
        return (
          <div key={name} className="grid grid-cols-[7.5rem_1fr_2rem] items-center gap-3 text-sm">
            <dt className="text-soft">{name}</dt>
            <dd className="h-4 overflow-hidden rounded-full bg-sunk" aria-hidden="true">
              <div
                className="h-full rounded-full"
                style={{ width: `${(count / max) * 100}%`, background: DELAY_COLOURS[index] ?? 'var(--color-soft)' }}
              />
            </dd>
            <dd className="text-right">{count}</dd>
          </div>
        );
      })}
    </dl>
  );
}

const DELAY_COLOURS = [
  'var(--color-heads-up)',
  'var(--color-good)',
  'var(--color-stage-0)',
  'var(--color-stage-1)',
  'var(--color-stage-2)',
  'var(--color-stage-2)',
];

export function Ring({ share }: { readonly share: number }) {
  const circumference = 2 * Math.PI * 26;
  return (
    <svg viewBox="0 0 64 64" className="size-16 -rotate-90" aria-hidden="true">
      <circle cx="32" cy="32" r="26" fill="none" stroke="var(--color-sunk)" strokeWidth="8" />
      <circle
        cx="32"
        cy="32"
        r="26"
        fill="none"
        stroke="var(--color-good)"
        strokeWidth="8"
        strokeLinecap="round"
        strokeDasharray={`${share * circumference} ${circumference}`}
      />
    </svg>
  );
}
