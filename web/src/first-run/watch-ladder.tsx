/** Shows how reminders grow, by letting a ladder of an example climb by itself. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { toInstant, toWallTime } from '../../../src/words/wall-time.ts';
import { isLocal } from '../data/queued-action.ts';
import { useTasks, useZone } from '../data/sync.ts';
import { forecastOptions } from '../data/task-queries.ts';
import { Ladder } from '../ladder/ladder.tsx';
import { strings } from '../strings.ts';
import { formatMoment, formatTime } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { SAMPLE_NUDGES, sampleLadder } from './sample-ladder.ts';

const { firstRun: words } = strings;
const STEP_MS = 1_600;
const DUE_HOUR = 18;

/** People who do not want movement see the whole ladder at once. */
const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export function WatchLadder({ onDone }: { readonly onDone: () => void }) {
  const zone = useZone();
  const now = useNow();
  const [sent, setSent] = useState(() => (isStill() ? SAMPLE_NUDGES : 1));
  const isOver = sent === SAMPLE_NUDGES;
  useEffect(() => {
    if (isOver) return undefined;
    const timer = setInterval(() => setSent((before) => Math.min(SAMPLE_NUDGES, before + 1)), STEP_MS);
    return () => clearInterval(timer);
  }, [isOver]);
  const due = toInstant({ ...toWallTime(now, zone), hour: DUE_HOUR, minute: 0 }, zone);
  const { layout, at, stage } = sampleLadder(due, sent);
  return (
    <>
      <FirstNudge zone={zone} now={now} />
      <p className="mt-1 mb-4">{words.ladderLead(formatTime(due, zone))}</p>
      <div className="-mx-4 rounded-2xl bg-card py-2 sm:mx-0">
        <Ladder layout={layout} zone={zone} now={at} />
      </div>
      <p aria-live="polite" className="my-4 min-h-12 font-medium">
        {words.climbs(formatTime(at, zone), stage)}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={onDone}>
          {words.gotIt}
        </Button>
        {isOver && !isStill() && (
          <Button variant="plain" onClick={() => setSent(1)}>
            {words.watchAgain}
          </Button>
        )}
      </div>
    </>
  );
}

interface FirstNudgeProps {
  readonly zone: string;
  readonly now: number;
}

/** When the first nudge of the account's own tasks would come, and by what. Nothing while no task has one. */
function FirstNudge({ zone, now }: FirstNudgeProps) {
  const dated = Object.values(useTasks() ?? {}).filter(({ id, next_fire_at }) => next_fire_at !== null && !isLocal(id));
  const first = dated.sort((a, b) => Date.parse(a.next_fire_at ?? '') - Date.parse(b.next_fire_at ?? ''))[0];
  const { data } = useQuery({ ...forecastOptions(first?.id ?? ''), enabled: first !== undefined });
  const nudge = data?.[0];
  if (!nudge) return null;
  const when = formatMoment(nudge.at, zone, now);
  if (!nudge.unreached) return <p className="mt-1 mb-4 font-medium">{words.firstNudge(when, nudge.via.join(', '))}</p>;
  return (
    <p className="mt-1 mb-4 font-medium">
      {words.firstUnheard(when)}{' '}
      <Link to="/settings/channels" className="underline underline-offset-4">
        {strings.unreached.add}
      </Link>
    </p>
  );
}
