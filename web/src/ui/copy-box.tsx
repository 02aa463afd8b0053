import { useId, useRef, useState } from 'react';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';

/** A text that is copied as a whole: a link, a token, a configuration. */
export function CopyBox({
  label,
  text,
  tall = false,
}: {
  readonly label: string;
  readonly text: string;
  readonly tall?: boolean;
}) {
  const id = useId();
  const [isCopied, setCopied] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const copy = async () => {
    const { clipboard } = navigator as { clipboard?: Clipboard };
    if (clipboard) await clipboard.writeText(text);
    else copySelected(box.current);
    setCopied(true);
  };
  return (
    <div className="mb-4">
      <div className="mb-1.5 flex items-center justify-between gap-3">
        <label htmlFor={id} className="text-sm font-semibold">
          {label}
        </label>
        <Button variant="plain" icon="copy" className="min-h-9 px-3 text-sm" onClick={() => void copy()}>
          <span aria-live="polite">{isCopied ? strings.copied : strings.copy}</span>
        </Button>
      </div>
      <textarea
        ref={box}
        id={id}
        readOnly
        rows={tall ? 9 : 3}
        value={text}
        spellCheck={false}
        onFocus={(event) => event.target.select()}
        className="field field-sizing-content resize-none font-mono text-sm! leading-relaxed break-all"
      />
    </div>
  );
}

/** The deprecated command is all that browsers offer over plain http. */
function copySelected(box: HTMLTextAreaElement | null): void {
  box?.select();
  document.execCommand('copy');
}
