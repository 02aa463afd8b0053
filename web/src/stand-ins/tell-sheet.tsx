/** Asks a member of a space to be told: about one task, about a label, or about everything. */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import type { StandInRequest, Task } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { membersOptions, nameOf, useSpaces } from '../data/people.ts';
import { refresh, useSettings, useTasks } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { countLabels } from '../find/labels.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Field, Select } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { SheetActions } from '../ui/sheet-actions.tsx';
import { RungSelect, TaskRungSelect } from './rung-select.tsx';
import { askStandIn } from './stand-in-queries.ts';
import { standInStrings } from './stand-in-strings.ts';

const { sheet: words } = standInStrings;
const USUAL_RUNG = 2;

/** Whom a change is about. */
export interface Told {
  readonly personId: string;
  readonly name: string;
  readonly spaceId: string;
  readonly rung: number;
}

interface TellSheetProps {
  /** Without one, the person is asked about everything or a label. */
  readonly task?: Task;
  readonly told?: Told | undefined;
  readonly onClose: () => void;
}

export function TellSheet({ task, told, onClose }: TellSheetProps) {
  const chosen = usePerson(task?.space_id ?? undefined);
  const [rung, setRung] = useState(told?.rung ?? USUAL_RUNG);
  const [label, setLabel] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const personId = told?.personId ?? chosen.personId;
  const spaceId = told?.spaceId ?? chosen.spaceId;
  const name = told?.name ?? chosen.name;
  const isReady = personId !== undefined && spaceId !== undefined && label?.trim() !== '';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    setBusy(true);
    try {
      const about = task ? { task_id: task.id } : label === undefined ? {} : { label: label.trim() };
      const asked: StandInRequest = { person_id: personId, space_id: spaceId, from_rung: rung, ...about };
      const { state } = await askStandIn(asked);
      await refresh();
      showToast(state === 'agreed' ? words.nowAgreed(name) : words.nowAsked(name));
      onClose();
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Sheet title={told ? words.changeTitle(told.name) : words.title} onClose={onClose}>
      <form onSubmit={submit} className="grid min-w-0 gap-5">
        {!told && <PersonFields chosen={chosen} />}
        {!task && !told && <ScopeFields label={label} onChange={setLabel} />}
        {task ? (
          <TaskRungSelect task={task} value={rung} onChange={setRung} />
        ) : (
          <RungSelect value={rung} onChange={setRung} />
        )}
        <SheetActions problem={problem}>
          <Button onClick={onClose}>{strings.cancel}</Button>
          <Button type="submit" variant="primary" busy={isBusy} disabled={!isReady}>
            {told ? words.save : words.ask}
          </Button>
        </SheetActions>
      </form>
    </Sheet>
  );
}

/** The first space and its first other member, until another one is chosen. */
function usePerson(firstSpaceId: string | undefined) {
  const me = useSettings()?.id;
  const { data: spaces = [] } = useSpaces();
  const [chosenSpaceId, setSpaceId] = useState(firstSpaceId);
  const [chosenPersonId, setPersonId] = useState<string>();
  const spaceId = chosenSpaceId ?? spaces[0]?.id;
  const { data: members } = useQuery({ ...membersOptions(spaceId ?? ''), enabled: spaceId !== undefined });
  const others = (members ?? []).filter(({ user_id }) => user_id !== me);
  const person = others.find(({ user_id }) => user_id === chosenPersonId) ?? others[0];
  const isLoaded = members !== undefined;
  return {
    spaces,
    spaceId,
    setSpaceId,
    others,
    isLoaded,
    personId: person?.user_id,
    name: person ? nameOf(person) : '',
    setPersonId,
  };
}

function PersonFields({ chosen }: { readonly chosen: ReturnType<typeof usePerson> }) {
  const { spaces, spaceId, setSpaceId, others, isLoaded, personId, setPersonId } = chosen;
  return (
    <>
      {spaces.length > 1 && (
        <Select label={words.space} value={spaceId} onChange={(event) => setSpaceId(event.target.value)}>
          {spaces.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
      {others.length > 0 ? (
        <Select label={words.person} value={personId} onChange={(event) => setPersonId(event.target.value)}>
          {others.map((member) => (
            <option key={member.user_id} value={member.user_id}>
              {nameOf(member)}
            </option>
          ))}
        </Select>
      ) : (
        isLoaded && <p className="text-soft">{words.nobody}</p>
      )}
    </>
  );
}

interface ScopeFieldsProps {
  /** Undefined for everything. */
  readonly label: string | undefined;
  readonly onChange: (label: string | undefined) => void;
}

function ScopeFields({ label, onChange }: ScopeFieldsProps) {
  const id = useId();
  const known = countLabels(Object.values(useTasks() ?? {}));
  return (
    <>
      <Select
        label={words.about}
        value={label === undefined ? 'everything' : 'label'}
        onChange={(event) => onChange(event.target.value === 'label' ? (known[0]?.[0] ?? '') : undefined)}
      >
        <option value="everything">{words.everything}</option>
        <option value="label">{words.ofLabel}</option>
      </Select>
      {label !== undefined && (
        <>
          <Field
            label={words.label}
            value={label}
            list={id}
            maxLength={100}
            autoComplete="off"
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={id}>
            {known.map(([one]) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </>
      )}
    </>
  );
}
