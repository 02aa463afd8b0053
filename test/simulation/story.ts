/** Tells what happened in a run, so that a person can follow it. */
import type { Plan } from './plan.ts';
import type { Told } from './run-plan.ts';

export function tellStory(plan: Plan, { violation, story }: Told): string {
  const people = plan.people.map(({ name, zone, quiet, dayStart, platforms }) => {
    const hours = quiet ? `quiet from ${quiet[0]} to ${quiet[1]}` : 'no quiet hours';
    return `  ${name}: ${zone}, ${hours}, day starts at ${dayStart}, ${platforms.join(' and ')}`;
  });
  return [
    `Seed ${plan.seed}: ${violation?.message ?? 'every promise was kept'}`,
    ...(violation ? [`The promise: ${violation.invariant}`] : []),
    ...people,
    ...story.map((line) => `  ${line}`),
    `Run it again: npm run simulate -- --seed ${plan.seed}`,
  ].join('\n');
}
