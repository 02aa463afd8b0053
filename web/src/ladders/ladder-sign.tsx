/** A small drawing of a ladder for lists: a bar for each rung, the taller the stronger. The words beside it say the same. */
import { stageColour } from '../ladder/stage-badge.tsx';
import type { LadderShape } from './format-ladder.ts';

const MOST_BARS = 10;

export function LadderSign({ ladder }: { readonly ladder: LadderShape }) {
  const bars = ladder.rungs.slice(0, MOST_BARS);
  return (
    <svg viewBox={`0 0 ${bars.length * 6} 24`} className="h-4 w-auto shrink-0" aria-hidden="true">
      {bars.map(({ stage }, index) => {
        const height = 9 + stage * 7;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the bars have no other name.
          <rect key={index} x={index * 6} y={24 - height} width="4" height={height} rx="2" fill={stageColour(stage)} />
        );
      })}
    </svg>
  );
}
