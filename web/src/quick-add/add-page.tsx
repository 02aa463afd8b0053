/** An address that offers a task: from the share sheet of a phone, a shortcut or a link. Only a press adds it. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { screenStrings } from '../screen-strings.ts';
import { Page } from '../ui/page.tsx';
import { draft } from './draft.ts';
import { offeredText, readOffered } from './offered-text.ts';
import { QuickAdd } from './quick-add.tsx';

const { addPage: words } = screenStrings;

export function AddPage() {
  const text = offeredText(readOffered(useSearch({ strict: false })));
  const navigate = useNavigate();
  useEffect(() => draft.set(text), [text]);
  return (
    <Page title={words.title} lead={text === '' ? words.lead : words.offeredLead} back={{ to: '/', label: words.back }}>
      <QuickAdd onSaved={() => void navigate({ to: '/', replace: true })} />
    </Page>
  );
}
