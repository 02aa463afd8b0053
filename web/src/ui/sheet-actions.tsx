/** The buttons at the end of a long sheet, which stay in view. */
import type { ReactNode } from 'react';
import { Note } from './field.tsx';

interface SheetActionsProps {
  readonly problem: string | undefined;
  readonly children: ReactNode;
}

export const SheetActions = ({ problem, children }: SheetActionsProps) => (
  <div className="sticky bottom-[calc(-1*max(1.5rem,env(safe-area-inset-bottom)))] z-10 -mx-5 -mb-[max(1.5rem,env(safe-area-inset-bottom))] grid gap-2 border-line border-t bg-card px-5 pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:-bottom-7 sm:-mx-7 sm:-mb-7 sm:px-7 sm:pb-3">
    {problem && <Note tone="danger">{problem}</Note>}
    <div className="flex flex-wrap justify-end gap-2">{children}</div>
  </div>
);
