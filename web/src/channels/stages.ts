/** The stages that a channel is used for, as one choice of a few. */
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';

const { stageChoices, stagesOwn } = screenStrings.reach;

const inOrder = (stages: readonly number[]) => [...stages].sort((a, b) => a - b);

export const stageKey = (stages: readonly number[]): string => inOrder(stages).join(',');

export const stageText = (stages: readonly number[]): string =>
  stageChoices[stageKey(stages)] ?? stagesOwn(inOrder(stages).map(strings.task.stageName).join(', ').toLowerCase());

/** From every nudge to the fewest. A set of stages that another program chose stays a choice. */
export function choicesOfStages(stages: readonly number[]): [key: string, text: string][] {
  const sizeOf = (key: string) => key.split(',').filter(Boolean).length;
  const choices = Object.entries({ ...stageChoices, [stageKey(stages)]: stageText(stages) });
  return choices.sort(([a], [b]) => sizeOf(b) - sizeOf(a));
}
