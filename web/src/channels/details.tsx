import type { ReactNode } from 'react';
import { Icon } from '../ui/icons.tsx';

interface DetailsProps {
  readonly summary: string;
  /** Opens it; the user may open and close it as well. */
  readonly isOpen: boolean;
  readonly children: ReactNode;
}

/** A part that few people need. */
export const Details = ({ summary, isOpen, children }: DetailsProps) => (
  <details className="group" open={isOpen || undefined}>
    <summary className="flex min-h-11 list-none items-center gap-1.5 font-medium [&::-webkit-details-marker]:hidden">
      <Icon name="arrow" className="size-4 transition group-open:rotate-90" />
      {summary}
    </summary>
    <div className="mt-1 grid gap-4">{children}</div>
  </details>
);
