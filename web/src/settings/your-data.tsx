/** What a person takes along. Each part is there as soon as the service offers it. */

import { useMutation } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { wordsOf } from '../api/problem.ts';
import { useHasPath } from '../data/api-paths.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Section } from '../ui/section.tsx';
import { say } from '../ui/toast.tsx';

const { settings: words } = strings;
const EXPORT = '/v1/me/export';

export function YourData() {
  const hasPath = useHasPath();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => saveFile(JSON.stringify(await call<unknown>('GET', EXPORT), null, 2)),
    onError: (error) => say(wordsOf(error)),
  });
  if (!hasPath(EXPORT)) return null;
  return (
    <Section title={words.data} lead={words.exportLead}>
      <Button busy={isPending} onClick={() => mutate()}>
        {words.exportData}
      </Button>
    </Section>
  );
}

function saveFile(text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = 'crescendo.json';
  link.click();
  URL.revokeObjectURL(link.href);
}
