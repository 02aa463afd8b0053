/** How strong the nudges of a task have become: three bars, the name of the stage, and what messages call the task. */
import type { Task } from '../api/client.ts';
import { strings } from '../strings.ts';
import { shownStage } from './shown-stage.ts';
import { TaskCode } from './task-code.tsx';

const BARS = [1, 2, 3] as const;

const COLOURS: Readonly<Record<string, string>> = {
  '-1': 'var(--color-heads-up)',
  '0': 'var(--color-stage-0)',
  '1': 'var(--color-stage-1)',
  '2': 'var(--color-stage-2)',
};

export const stageColour = (stage: number): string => COLOURS[String(stage)] ?? 'var(--color-soft)';

export function StageBadge({ task, now }: { readonly task: Task; readonly now: number }) {
  const stage = shownStage(task, now);
  if (stage === undefined) return null;
  const colour = stageColour(stage);
  const name = strings.task.stageName(stage).toLowerCase();
  return (
    <span className="inline-flex items-center gap-1.5 font-medium" style={{ color: colour }}>
      <svg viewBox="0 0 22 12" className="h-2.5 w-auto" aria-hidden="true">
        {BARS.map((bar) => {
          const height = 2 + bar * 3;
          const isOn = stage + 1 >= bar;
          return (
            <rect
              key={bar}
              x={(bar - 1) * 8}
              y={(12 - height) / 2}
              width="5"
              height={height}
              rx="1.5"
              fill="currentColor"
              opacity={isOn ? 1 : 0.25}
            />
          );
        })}
      </svg>
      {name}
      <TaskCode taskId={task.id} />
    </span>
  );
}
