/** The labels in use: their colours, and a new name for all tasks that have one. */
import { type FormEvent, useState } from 'react';
import type { Task } from '../api/client.ts';
import { queueWithUndo } from '../data/task-actions.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { LabelDot } from './label.tsx';
import { COLOURS, colourOf, countLabels, useLabelColours } from './labels.ts';
import { chooseColours } from './send-colours.ts';

const { labels: words } = screenStrings;
const MAX_LENGTH = 40;

interface LabelSheetProps {
  readonly tasks: readonly Task[];
  readonly onClose: () => void;
}

export function LabelSheet({ tasks, onClose }: LabelSheetProps) {
  const labels = countLabels(tasks);
  const colours = useLabelColours();
  const rename = (from: string, to: string) => {
    const renamed = tasks.filter(({ kind }) => kind === from);
    // A label that other tasks have already keeps its own colour.
    if (!labels.some(([label]) => label === to)) void chooseColours([{ label: to, colour: colourOf(from, colours) }]);
    queueWithUndo(
      words.renamed(to, renamed.length),
      renamed.map((task) => ({ kind: 'edit', task, body: { kind: to } })),
    );
  };
  return (
    <Sheet title={words.title} onClose={onClose}>
      <p className="mb-4 text-soft">{labels.length === 0 ? words.none : words.lead}</p>
      <ul className="grid gap-4">
        {labels.map(([label, count]) => (
          <li key={label} className="grid gap-2 border-t border-line pt-4">
            <LabelName label={label} count={count} onRename={(to) => rename(label, to)} />
            <LabelColour label={label} />
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

interface LabelNameProps {
  readonly label: string;
  readonly count: number;
  readonly onRename: (to: string) => void;
}

function LabelName({ label, count, onRename }: LabelNameProps) {
  const [name, setName] = useState(label);
  const typed = name.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed !== '' && typed !== label) onRename(typed);
  };
  return (
    <form onSubmit={submit} className="flex items-center gap-2">
      <input
        className="field min-w-0 grow"
        aria-label={words.name(label)}
        maxLength={MAX_LENGTH}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {typed !== '' && typed !== label ? (
        <Button type="submit" className="px-4" aria-label={words.renameNamed(label)}>
          {words.rename}
        </Button>
      ) : (
        <span className="px-3 text-soft">{count}</span>
      )}
    </form>
  );
}

function LabelColour({ label }: { readonly label: string }) {
  const current = colourOf(label, useLabelColours());
  return (
    <fieldset className="flex flex-wrap gap-1">
      <legend className="sr-only">{words.colourOf(label)}</legend>
      {COLOURS.map((colour) => (
        <label
          key={colour}
          title={words.colours[colour]}
          className="grid size-9 place-items-center rounded-full border-2 border-transparent has-checked:border-ink has-focus-visible:outline-2"
        >
          <input
            type="radio"
            name={`colour-${label}`}
            className="sr-only"
            aria-label={words.colours[colour]}
            checked={colour === current}
            onChange={() => chooseColours([{ label, colour }])}
          />
          <span className="grid scale-200">
            <LabelDot colour={colour} />
          </span>
        </label>
      ))}
    </fieldset>
  );
}
