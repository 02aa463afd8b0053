import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { membersOptions, nameOf } from '../data/people.ts';
import { useSettings } from '../data/sync.ts';
import { QuickAdd } from '../quick-add/quick-add.tsx';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Select } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';

const { spaces: words } = screenStrings;

interface AddToSpaceProps {
  readonly spaceId: string;
  /** The member who is chosen when the sheet opens. */
  readonly firstOwner: string | undefined;
  readonly onClose: () => void;
}

/** A task for another member starts as a request; a task for the user is simply a task of the space. */
export function AddToSpace({ spaceId, firstOwner, onClose }: AddToSpaceProps) {
  const members = useQuery(membersOptions(spaceId)).data ?? [];
  const me = useSettings()?.id ?? '';
  const others = members.filter(({ user_id }) => user_id !== me);
  const [chosen, setChosen] = useState<string>();
  // The sheet may be open before the settings have arrived.
  const ownerId = chosen ?? firstOwner ?? me;
  const isMine = ownerId === me;
  return (
    <Sheet title={isMine ? words.addTitle : words.assignTitle} onClose={onClose}>
      {others.length > 0 && (
        <Select
          label={words.assignTo}
          className="mb-4"
          value={ownerId}
          onChange={(event) => setChosen(event.target.value)}
        >
          {others.map((member) => (
            <option key={member.user_id} value={member.user_id}>
              {nameOf(member)}
            </option>
          ))}
          <option value={me}>{strings.add.myself}</option>
        </Select>
      )}
      <QuickAdd
        fields={{ space_id: spaceId, owner_id: ownerId }}
        saveLabel={isMine ? strings.add.save : words.assignSend}
        onSaved={onClose}
      />
    </Sheet>
  );
}
