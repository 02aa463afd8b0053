/** Brings the tasks of another app: a file, what would come of it, how far the import is, and the way back. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ChangeEvent, useRef } from 'react';
import { problemText } from '../api/problem.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { ImportState } from './import-state.tsx';
import { moveInOptions, previewFile } from './move-in-queries.ts';
import { moveInStrings as words } from './move-in-strings.ts';
import { Preview } from './preview.tsx';

export function MoveIn() {
  const { data: moveIns = [] } = useQuery(moveInOptions);
  const { mutate, data: preview, error, isPending, reset } = useMutation({ mutationFn: previewFile });
  const latest = moveIns.find(({ state }) => state !== 'preview');
  if (preview) return <Preview preview={preview} onDone={reset} />;
  return (
    <>
      {latest && <ImportState moveIn={latest} />}
      <Section title={words.title} lead={words.lead}>
        <FileChoice busy={isPending} onChoose={mutate} />
        <div aria-live="polite" className="mt-4 grid gap-3 empty:hidden">
          {isPending && <Note>{words.reading}</Note>}
          {error && <Note tone="danger">{problemText(error)}</Note>}
        </div>
        <WhereToFind />
      </Section>
    </>
  );
}

function FileChoice({ busy, onChoose }: { readonly busy: boolean; readonly onChoose: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    if (file) onChoose(file);
    // Allows the user to choose the same file again.
    event.target.value = '';
  };
  return (
    <>
      {/* Without `accept`: a phone greys out files whose type it does not know. */}
      <input ref={input} type="file" hidden aria-label={words.file} onChange={choose} />
      <Button variant="primary" busy={busy} onClick={() => input.current?.click()}>
        {words.choose}
      </Button>
    </>
  );
}

const WhereToFind = () => (
  <details className="mt-5">
    <summary className="min-h-11 cursor-pointer py-2 font-semibold">{words.apps}</summary>
    <dl className="mt-1 grid gap-3 text-sm">
      {words.where.map(([app, place]) => (
        <div key={app}>
          <dt className="font-semibold">{app}</dt>
          <dd className="text-soft">{place}</dd>
        </div>
      ))}
    </dl>
  </details>
);
