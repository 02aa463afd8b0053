/** Tells what happened in a run, so that a person can follow it. */
import type { Plan } from './plan.ts';
import type { Told } from './run-plan.ts';

export function tellStory(plan: Plan, { violation, story }: Told): string {
  const people = plan.people.map(({ name, zone, quiet, dayStart, platforms, tiers, place, fallbackMinutes }) => {
    const hours = quiet ? `quiet from ${quiet[0]} to ${quiet[1]}` : 'no quiet hours';
    const channels =
      tiers.length > 0 ? `, channels in the tiers ${tiers.join(', ')} after ${fallbackMinutes} min each` : '';
    const held = place ? `, the first on ${place.server}${place.isPrivate ? ', without titles' : ''}` : '';
    return `  ${name}: ${zone}, ${hours}, day starts at ${dayStart}, ${platforms.join(' and ') || 'mail'}${channels}${held}`;
  });
  return [
    `Seed ${plan.seed}: ${violation?.message ?? 'every promise was kept'}`,
    ...(violation ? [`The promise: ${violation.invariant}`] : []),
    ...people,
    ...(plan.holding
      ? [
          `  a server takes ${plan.holding.mostPerDay ?? 'any'} messages a day, and holds them for ${plan.holding.longestMs / 3_600_000} h`,
        ]
      : []),
    ...clocksOf(plan),
    ...withoutRepetition(story).map((line) => `  ${line}`),
    `Run it again: npm run simulate -- --seed ${plan.seed}`,
  ].join('\n');
}

/** The story tells the time of tasks. */
function clocksOf({ clocks, hasEngineClock }: Plan): string[] {
  if (hasEngineClock) return ['  the engine has a clock of its own'];
  if (!clocks) return [];
  const { speed, apartMs } = clocks;
  const apart = `real time is ${Math.abs(apartMs) / 60_000} minutes ${apartMs < 0 ? 'behind' : 'ahead'} at the start`;
  return [`  the clock of tasks runs ${speed} times as fast as real time; ${apart}`];
}

const TIME = /^\S+ \S+ /;

/** Keeps the first and the last of many equal nudges in a row. */
function withoutRepetition(story: readonly string[]): string[] {
  const deed = (line: string | undefined) => line?.replace(TIME, '');
  const isRepeated = (index: number) =>
    deed(story[index - 1]) === deed(story[index]) && deed(story[index]) === deed(story[index + 1]);
  return story.flatMap((line, index) => {
    if (!isRepeated(index)) return [line];
    return isRepeated(index - 1) ? [] : ['…'];
  });
}
