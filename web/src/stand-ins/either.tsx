/** For a task in a space: one switch for each other member. Both are reminded until one does it. */
import { useQuery } from '@tanstack/react-query';
import type { Member, Task, TaskStandIn } from '../api/client.ts';
import { membersOptions, nameOf } from '../data/people.ts';
import { useSettings } from '../data/sync.ts';
import { Switch } from '../ui/field.tsx';
import { askStandIn, endStandIn, usePress } from './stand-in-queries.ts';
import { standInStrings } from './stand-in-strings.ts';

const { task: words } = standInStrings;
/** In a larger space a member is chosen in the sheet. */
const MOST_SWITCHES = 6;

interface EitherProps {
  readonly task: Task;
  readonly spaceId: string;
  readonly told: readonly TaskStandIn[];
}

export function Either({ task, spaceId, told }: EitherProps) {
  const me = useSettings()?.id;
  const { data: members = [] } = useQuery(membersOptions(spaceId));
  const others = members.filter(({ user_id }) => user_id !== me);
  if (others.length === 0 || others.length > MOST_SWITCHES) return null;
  return (
    <div className="mb-4 border-t border-line pt-3">
      <h3 className="text-base">{words.either}</h3>
      {others.map((member) => (
        <EitherSwitch
          key={member.user_id}
          task={task}
          spaceId={spaceId}
          member={member}
          told={told.filter(({ person }) => person.id === member.user_id)}
        />
      ))}
    </div>
  );
}

interface EitherSwitchProps extends EitherProps {
  readonly member: Member;
}

function EitherSwitch({ task, spaceId, member, told }: EitherSwitchProps) {
  const current = told.find(({ from_rung }) => from_rung === 0);
  const isOwn = current?.for === 'task';
  const ask = (from_rung: number | null) =>
    askStandIn({ person_id: member.user_id, space_id: spaceId, task_id: task.id, from_rung });
  const press = usePress<boolean, unknown>((isOn) => {
    if (isOn) return ask(0);
    return isOwn ? endStandIn(current.id) : ask(null);
  });
  return (
    <Switch
      label={nameOf(member)}
      hint={words.eitherHints[current === undefined ? 'off' : current.state === 'asked' ? 'asked' : 'agreed']}
      checked={press.isPending ? press.variables : current !== undefined}
      disabled={press.isPending}
      onChange={press.mutate}
    />
  );
}
