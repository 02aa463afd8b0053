/** Who is told of a task if the user does not react: shown, and chosen among those who have agreed. Nobody is asked. */
import type { Static } from 'typebox';
import { Type } from '../lib/schema.ts';
import { taskPath } from './api.ts';
import type { Agent } from './define-tool.ts';
import { shortMinute, type TimeContext } from './format-time.ts';
import { quoted } from './shown-text.ts';
import { ToolFailure } from './tool-failure.ts';

export interface ApiStandIn {
  readonly space_id: string;
  readonly person: { readonly id: string; readonly display_name: string | null };
  readonly from_rung: number | null;
  readonly state: 'asked' | 'agreed' | 'left_out';
  readonly starts_at: string | null;
  readonly told_at: string | null;
  readonly held_until: string | null;
  readonly seen_at: string | null;
}

export const standInChoice = Type.Object(
  {
    name: Type.String({ maxLength: 200 }),
    from: Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, maximum: 100 }),
  },
  { description: 'One of task_status, told from this nudge; null: never.' },
);

const nameOf = ({ person }: ApiStandIn): string => person.display_name ?? person.id;

export function standInsInWords(standIns: readonly ApiStandIn[], { zone }: TimeContext): string {
  const at = (moment: string) => shortMinute(moment, zone);
  const described = standIns.map((one) => {
    const name = quoted(nameOf(one));
    if (one.state === 'left_out') return `${name} not at all`;
    if (one.state === 'asked') return `${name} was asked and has not answered`;
    const facts = [
      `from nudge ${one.from_rung} on`,
      one.told_at ? `told ${at(one.told_at)}` : one.starts_at ? `first ${at(one.starts_at)}` : null,
      one.held_until ? `held until ${at(one.held_until)}` : null,
      one.seen_at ? `seen ${at(one.seen_at)}` : null,
    ];
    return `${name} ${facts.filter((fact) => fact !== null).join(', ')}`;
  });
  return `If the user does not react, told too: ${described.join('; ')}.`;
}

/** Returns what was before, in words. */
export async function chooseStandIn(
  agent: Agent,
  taskId: string,
  { name, from }: Static<typeof standInChoice>,
): Promise<string> {
  const { data } = await agent.api<ApiStandIn[]>({ url: taskPath(taskId, '/stand-ins') });
  const isNamed = (one: ApiStandIn) => nameOf(one).toLowerCase() === name.trim().toLowerCase();
  const found = data.filter((one) => one.state !== 'asked' && isNamed(one));
  const [chosen] = found;
  if (!chosen || found.length > 1)
    throw new ToolFailure(
      'invalid_input',
      'stand_in: no single person of this name has agreed; the user asks in the app',
    );
  const payload = { person_id: chosen.person.id, space_id: chosen.space_id, task_id: taskId, from_rung: from };
  await agent.api({ method: 'POST', url: '/v1/stand-ins', payload });
  return `stand-in ${quoted(nameOf(chosen))} ${chosen.from_rung === null ? 'not told' : `from nudge ${chosen.from_rung}`} before`;
}
