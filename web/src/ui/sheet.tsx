/** A modal dialog: a sheet from below on a phone, a centred card elsewhere. The browser keeps the focus inside. */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { strings } from '../strings.ts';
import { IconButton } from './button.tsx';

interface SheetProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** For two columns in a wide window. */
  readonly wide?: boolean;
  /** False when closing by accident would lose something that is shown only once. */
  readonly closable?: boolean;
}

export function Sheet({ title, onClose, children, closable = true, wide = false }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (closable && event.cancelable) onClose();
      }}
      onClose={({ currentTarget }) => {
        // When Esc is pressed again and again, browsers close a dialog and do not let the app prevent it.
        if (currentTarget.open || !currentTarget.isConnected) return;
        currentTarget.showModal();
        if (closable) onClose();
      }}
      onClick={(event) => {
        if (closable && event.target === dialog.current) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
      className={`rises m-0 mx-auto mt-auto w-full ${wide ? 'max-w-lg lg:max-w-4xl' : 'max-w-lg'} rounded-t-3xl border border-line bg-card p-0 text-ink shadow-float sm:my-auto sm:rounded-3xl`}
    >
      <div className="max-h-[85dvh] scroll-pb-24 overflow-y-auto p-5 pb-[max(1.5rem,env(safe-area-inset-bottom))] sm:p-7">
        <div className="mb-4 flex items-start justify-between gap-4">
          <h2 id={id} className="pt-1.5 text-2xl">
            {title}
          </h2>
          {closable && <IconButton icon="close" label={strings.close} onClick={onClose} className="-mr-2" />}
        </div>
        {children}
      </div>
    </dialog>
  );
}
