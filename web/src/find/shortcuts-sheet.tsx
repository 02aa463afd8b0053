import { useStore } from '../data/store.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Switch } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { hasSingleKeys, setSingleKeys } from './shortcuts.ts';

const { groups: names, keys: words, ...texts } = screenStrings.shortcuts;

const GROUPS: readonly (readonly [name: string, keys: readonly (readonly [keys: string, what: string])[]])[] = [
  [
    names.anywhere,
    [
      ['/ · Ctrl+K', words.search],
      ['n', words.add],
      ['Ctrl+Z', words.undo],
      ['1 – 6', words.pages],
      ['?', words.help],
      ['Esc', words.stop],
    ],
  ],
  [
    names.lists,
    [
      ['j k · ↓ ↑', words.move],
      ['Enter', words.open],
      ['x', words.select],
      ['Shift+X', words.range],
      ['Ctrl+A', words.all],
      ['f', strings.lists.filter],
    ],
  ],
  [
    names.tasks,
    [
      ['d', words.done],
      ['s', words.snooze],
      ['r', words.redate],
      ['e', words.edit],
      ['Delete', words.drop],
    ],
  ],
];

export function ShortcutsSheet({ onClose }: { readonly onClose: () => void }) {
  const isOn = useStore(hasSingleKeys);
  return (
    <Sheet title={texts.title} onClose={onClose}>
      {GROUPS.map(([name, keys]) => (
        <section key={name} className="mb-5">
          <h3 className="mb-1.5 text-lg">{name}</h3>
          <dl>
            {keys.map(([key, what]) => (
              <div key={key} className="flex items-baseline justify-between gap-4 border-t border-line py-1.5">
                <dt className="order-2 shrink-0 font-mono text-sm">{key}</dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <Switch label={texts.singleKeys} hint={texts.singleKeysHint} checked={isOn} onChange={setSingleKeys} />
    </Sheet>
  );
}
