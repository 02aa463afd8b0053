/** The sheets for naming a new space and renaming an existing one. */
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, type Space, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { spacesOptions } from '../data/people.ts';
import { queryClient } from '../data/query-client.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';

const { spaces: words } = screenStrings;

export function NewSpace({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <NameSheet
      title={words.create}
      save={(name) => unwrap(api.POST('/v1/spaces', { body: { name } }))}
      onSaved={async ({ id, name }) => {
        showToast(words.made(name));
        await navigate({ to: '/spaces/$spaceId', params: { spaceId: id } });
      }}
      onClose={onClose}
    />
  );
}

export function RenameSpace({ space, onClose }: { readonly space: Space; readonly onClose: () => void }) {
  const path = { space_id: space.id };
  return (
    <NameSheet
      title={words.rename}
      name={space.name}
      save={(name) => unwrap(api.PATCH('/v1/spaces/{space_id}', { params: { path }, body: { name } }))}
      onSaved={({ name }) => {
        showToast(words.renamed(name));
        onClose();
      }}
      onClose={onClose}
    />
  );
}

interface NameSheetProps {
  readonly title: string;
  /** The present name. */
  readonly name?: string;
  readonly save: (name: string) => Promise<Space>;
  readonly onSaved: (space: Space) => void | Promise<void>;
  readonly onClose: () => void;
}

function NameSheet({ title, name: before = '', save, onSaved, onClose }: NameSheetProps) {
  const [name, setName] = useState(before);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => save(name.trim()),
    onSuccess: async (space) => {
      await queryClient.invalidateQueries(spacesOptions);
      await onSaved(space);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Sheet title={title} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <Field
          label={words.name}
          required
          maxLength={200}
          value={name}
          problem={error ? problemText(error) : undefined}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" variant="primary" busy={isPending} disabled={['', before].includes(name.trim())}>
          {title}
        </Button>
      </form>
    </Sheet>
  );
}
