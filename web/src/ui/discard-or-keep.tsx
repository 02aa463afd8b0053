import { screenStrings } from '../screen-strings.ts';
import { Button } from './button.tsx';

const focus = (button: HTMLButtonElement | null) => button?.focus();

/** Asked inside the same dialog: browsers close two dialogs with one Esc. */
export function DiscardOrKeep({ onKeep, onDiscard }: { readonly onKeep: () => void; readonly onDiscard: () => void }) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button variant="danger" onClick={onDiscard}>
        {screenStrings.editor.discard}
      </Button>
      <Button variant="primary" ref={focus} onClick={onKeep}>
        {screenStrings.editor.keepEditing}
      </Button>
    </div>
  );
}
