/** The first minutes of a new account, one step at a time: who administers the service, what reaches the account, quiet hours, a first task, and the ladder. */
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { endFirstRun, type FirstRunStep, finishStep, numberOf, STEP_COUNT } from '../data/first-run-step.ts';
import { useTasks } from '../data/sync.ts';
import { draft } from '../quick-add/draft.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { QuietStep } from './quiet-step.tsx';
import { ReachStep } from './reach-step.tsx';

const { firstRun: words } = strings;

const WatchLadder = lazy(() => import('./watch-ladder.tsx').then(({ WatchLadder: loaded }) => ({ default: loaded })));
const ClaimStep = lazy(() => import('./claim-step.tsx').then(({ ClaimStep: loaded }) => ({ default: loaded })));

const TITLES: Readonly<Record<Exclude<FirstRunStep, 'claim'>, string>> = {
  reach: words.reach,
  quiet: words.quiet,
  task: words.task,
  ladder: words.ladder,
};

export function FirstRun({ step }: { readonly step: FirstRunStep }) {
  const next = () => finishStep(step);
  if (step === 'claim') {
    const frame = (title: string, shown: ReactNode) => (
      <Frame step={step} title={title}>
        {shown}
      </Frame>
    );
    return <ClaimStep onDone={next} frame={frame} />;
  }
  return (
    <Frame step={step} title={TITLES[step]}>
      {step === 'reach' && <ReachStep onDone={next} />}
      {step === 'quiet' && <QuietStep onDone={next} />}
      {step === 'task' && <TaskStep onDone={next} />}
      {step === 'ladder' && (
        <Suspense>
          <WatchLadder onDone={next} />
        </Suspense>
      )}
    </Frame>
  );
}

interface FrameProps {
  readonly step: FirstRunStep;
  readonly title: string;
  readonly children: ReactNode;
}

function Frame({ step, title, children }: FrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    // The button that led here is gone. A user who is typing a task keeps the focus.
    if (shown.current !== step && document.activeElement === document.body) heading.current?.focus();
    shown.current = step;
  }, [step]);
  const tone = step === 'quiet' ? 'bg-night text-night-ink' : 'bg-ember-wash';
  return (
    <section aria-labelledby="first-run" className={`mb-8 rounded-3xl p-5 sm:p-6 ${tone}`}>
      <div className="flex items-start justify-between gap-3">
        <p className="text-sm">{step !== 'claim' && words.step(numberOf(step), STEP_COUNT)}</p>
        {step !== 'ladder' && (
          <button
            type="button"
            onClick={endFirstRun}
            className="-mt-2.5 -mr-2 min-h-11 shrink-0 px-2 text-sm underline underline-offset-4"
          >
            {words.skipAll}
          </button>
        )}
      </div>
      <h2 id="first-run" ref={heading} tabIndex={-1} className="text-xl outline-none">
        {title}
      </h2>
      {children}
    </section>
  );
}

/** Ends by itself when there is a task. */
function TaskStep({ onDone }: { readonly onDone: () => void }) {
  const hasTask = Object.keys(useTasks() ?? {}).length > 0;
  useEffect(() => {
    if (hasTask) onDone();
  }, [hasTask, onDone]);
  return (
    <>
      <p className="mt-1 mb-4">{words.taskLead}</p>
      <ul className="grid gap-2">
        {words.examples.map((example) => (
          <li key={example}>
            <button
              type="button"
              onClick={() => draft.set(example)}
              className="min-h-11 w-full rounded-2xl border border-line bg-card px-4 py-2 text-left transition hover:border-strong-line"
            >
              {example}
            </button>
          </li>
        ))}
      </ul>
      <Button variant="plain" className="mt-3 -ml-5" onClick={onDone}>
        {words.next}
      </Button>
    </>
  );
}
