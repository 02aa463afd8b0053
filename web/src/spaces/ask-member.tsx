import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { membersOptions, nameOf } from '../data/people.ts';
import { useSettings } from '../data/sync.ts';
import { QuickAdd } from '../quick-add/quick-add.tsx';
import { strings } from '../strings.ts';
import { Select } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';

const { spaces: words } = strings;

/** A task for another member starts as a request; a task for the user is simply a task of the space. */
export function AskMember({ spaceId, onClose }: { readonly spaceId: string; readonly onClose: () => void }) {
  const members = useQuery(membersOptions(spaceId)).data ?? [];
  const me = useSettings()?.id ?? '';
  const others = members.filter(({ user_id }) => user_id !== me);
  const [chosen, setChosen] = useState<string>();
  const ownerId = chosen ?? others[0]?.user_id ?? me;
  return (
    <Sheet title={words.assignTitle} onClose={onClose}>
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
      <QuickAdd
        fields={{ space_id: spaceId, owner_id: ownerId }}
        saveLabel={ownerId === me ? strings.add.save : words.assignSend}
        onSaved={onClose}
      />
    </Sheet>
  );
}
