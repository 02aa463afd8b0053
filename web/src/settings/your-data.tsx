/** Export and import of the account's data. */
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ChangeEvent, useRef } from 'react';
import type { ImportReport } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { downloadArchive, importFile } from '../data/archive.ts';
import { queryClient } from '../data/query-client.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';

const { settings: words } = screenStrings;
const MAX_REFUSALS_SHOWN = 20;

export function YourData() {
  return (
    <Section title={words.data} lead={words.exportLead}>
      <Export />
      <h3 className="mt-6 mb-1 text-base font-semibold">{words.importData}</h3>
      <p className="mb-4 text-soft">{words.importLead}</p>
      <Import />
    </Section>
  );
}

function Export() {
  const { mutate, error, isPending } = useMutation({ mutationFn: async () => saveFile(await downloadArchive()) });
  return (
    <>
      <Button busy={isPending} onClick={() => mutate()}>
        {words.exportData}
      </Button>
      {error && <Note tone="danger">{problemText(error)}</Note>}
    </>
  );
}

function saveFile(file: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = 'crescendo.json';
  link.click();
  // The browser reads the file after this event-loop turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

interface ImportChoice {
  readonly file: File;
  readonly isPartial: boolean;
}

function Import() {
  const input = useRef<HTMLInputElement>(null);
  const { mutate, data, error, variables, isPending } = useMutation({
    mutationFn: ({ file, isPartial }: ImportChoice) => importFile(file, isPartial),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    if (file) mutate({ file, isPartial: false });
    // Allows the user to choose the same file again after correcting it.
    event.target.value = '';
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={words.importData}
        accept=".json,.ics,application/json,text/calendar"
        onChange={choose}
      />
      <Button busy={isPending} onClick={() => input.current?.click()}>
        {words.importChoose}
      </Button>
      <div aria-live="polite" className="mt-4 grid gap-3">
        {error && <Note tone="danger">{problemText(error)}</Note>}
        {data && variables && (
          <Report report={data} onImportRest={() => mutate({ file: variables.file, isPartial: true })} />
        )}
      </div>
    </>
  );
}

function ZoneNote({ zone: { document, account, taken_over } }: Pick<ImportReport, 'zone'>) {
  if (taken_over) return <Note>{words.importZoneTaken(account)}</Note>;
  if (document === null || document === account) return null;
  return <Note>{words.importZoneDiffers(document, account)}</Note>;
}

function ChannelsNote({ channels }: Pick<ImportReport, 'channels'>) {
  const toSetUp = channels.filter(({ result }) => result === 'to_set_up').length;
  const notOffered = channels.filter(({ result }) => result === 'refused').length;
  return (
    <>
      {toSetUp > 0 && (
        <Note>
          {words.importChannels(toSetUp)}{' '}
          <Link to="/settings/channels" className="underline underline-offset-4">
            {words.importChannelsOpen}
          </Link>
        </Note>
      )}
      {notOffered > 0 && <Note>{words.importChannelsRefused(notOffered)}</Note>}
    </>
  );
}

function Report({ report, onImportRest }: { readonly report: ImportReport; readonly onImportRest: () => void }) {
  const refused = report.items.filter(({ result }) => result === 'refused');
  const isDone = report.imported + report.skipped > 0;
  const canImportRest = report.items.some(({ result }) => result === 'left_out');
  return (
    <>
      {report.items.length === 0 && <Note>{words.importEmpty}</Note>}
      {isDone && <Note tone="good">{words.importDone(report.imported, report.skipped)}</Note>}
      {report.quiet > 0 && <Note>{words.importQuiet(report.quiet)}</Note>}
      {report.imported > 0 && <ZoneNote zone={report.zone} />}
      <ChannelsNote channels={report.channels} />
      {refused.length > 0 && (
        <div>
          <Note tone={isDone ? 'soft' : 'danger'}>
            {isDone ? words.importLeftOut(refused.length) : words.importRefused(refused.length)}
          </Note>
          <ul className="mt-3 text-sm">
            {refused.slice(0, MAX_REFUSALS_SHOWN).map(({ index, title, reason }) => (
              <li key={index} className="border-b border-line py-1.5">
                <strong className="font-semibold break-words">{title ?? words.importUntitled(index)}</strong>: {reason}
              </li>
            ))}
          </ul>
          {refused.length > MAX_REFUSALS_SHOWN && (
            <p className="text-sm">{words.importMore(refused.length - MAX_REFUSALS_SHOWN)}</p>
          )}
        </div>
      )}
      {canImportRest && (
        <div>
          <Button onClick={onImportRest}>{words.importRest}</Button>
        </div>
      )}
    </>
  );
}
