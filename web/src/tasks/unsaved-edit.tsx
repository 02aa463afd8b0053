import { useCallback, useEffect, useState } from 'react';
import { stableTaskKey } from '../data/action-queue.ts';
import { keepDraft, readDraft } from '../data/drafts.ts';
import { currentUserId } from '../data/sync.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import type { EditFields } from './edit-fields.ts';

const { kept: words } = screenStrings;

/** The fields that were changed and not saved. */
export type UnsavedFields = Partial<EditFields>;

const nameOf = (taskId: string) => `edit ${stableTaskKey(taskId)}`;

export const keepEdit = (taskId: string, fields: UnsavedFields | undefined) =>
  keepDraft(currentUserId(), nameOf(taskId), fields);

export function changedFields(before: EditFields, after: EditFields): UnsavedFields | undefined {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof EditFields]),
  );
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

/** What an edit of this task left behind, for as long as no editor is open. */
export function useUnsavedEdit(taskId: string, isEditing: boolean) {
  const [fields, setFields] = useState<UnsavedFields>();
  useEffect(() => {
    if (!isEditing) setFields(readDraft(currentUserId(), nameOf(taskId)));
  }, [taskId, isEditing]);
  const discard = useCallback(() => {
    keepEdit(taskId, undefined);
    setFields(undefined);
  }, [taskId]);
  return { fields, discard };
}

interface UnsavedEditProps {
  readonly onContinue: () => void;
  readonly onDiscard: () => void;
}

export const UnsavedEdit = ({ onContinue, onDiscard }: UnsavedEditProps) => (
  <section className="card mb-6 flex flex-wrap items-center gap-2 p-4">
    <p role="status" className="min-w-0 grow basis-60 font-medium">
      {words.unsaved}
    </p>
    <Button variant="plain" onClick={onDiscard}>
      {words.discard}
    </Button>
    <Button variant="primary" onClick={onContinue}>
      {words.goOn}
    </Button>
  </section>
);
