/** The owner of a task ends the say of the person who asked for it. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Task, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { refresh } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';

const { endSay: words } = screenStrings;

export function EndSay({ task, name }: { readonly task: Task; readonly name: string }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => unwrap(api.DELETE('/v1/tasks/{task_id}/assigner', { params: { path: { task_id: task.id } } })),
    onSuccess: () => {
      showToast(words.ended(name));
      close();
      return refresh();
    },
  });
  return (
    <>
      <Button variant="plain" className="mt-3 -ml-5" onClick={() => setOpen(true)}>
        {words.end(name)}
      </Button>
      {isOpen && (
        <Sheet title={words.sure(name)} onClose={close}>
          <p className="mb-5 text-soft">{words.text(name)}</p>
          {error && <Note tone="danger">{problemText(error)}</Note>}
          <div className="mt-3 flex flex-wrap justify-end gap-2">
            <Button onClick={close}>{strings.cancel}</Button>
            <Button variant="danger" busy={isPending} onClick={() => mutate()}>
              {words.confirm}
            </Button>
          </div>
        </Sheet>
      )}
    </>
  );
}
