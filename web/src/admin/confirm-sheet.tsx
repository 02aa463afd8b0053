/** Asks before an account is suspended or deleted, or loses its second factor. All need a recent sign-in. */
import { useMutation } from '@tanstack/react-query';
import type { PersonDetail } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { nameOf } from './people-list.tsx';
import { deletePerson, resetSecondFactor, suspend } from './queries.ts';

const { admin: words } = screenStrings;

export type AdminAction = 'reset' | 'suspend' | 'delete';

const RUN: Readonly<Record<AdminAction, (id: string) => Promise<unknown>>> = {
  reset: resetSecondFactor,
  suspend,
  delete: deletePerson,
};

interface ConfirmSheetProps {
  readonly action: AdminAction;
  readonly person: PersonDetail;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function ConfirmSheet({ action, person, onDone, onClose }: ConfirmSheetProps) {
  const name = nameOf(person);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => RUN[action](person.id),
    onSuccess: () => {
      showToast(words.did[action](name));
      onDone();
    },
  });
  return (
    <Sheet title={words.sure[action](name)} onClose={onClose}>
      <p className="mb-4 text-soft">{words.means[action]}</p>
      {error && (
        <div className="mb-4">
          <Note tone="danger">{problemText(error)}</Note>
        </div>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{strings.cancel}</Button>
        <Button variant="danger" busy={isPending} onClick={() => mutate()}>
          {words.does[action]}
        </Button>
      </div>
    </Sheet>
  );
}
