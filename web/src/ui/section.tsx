import { type ReactNode, useId } from 'react';

interface SectionProps {
  readonly title: string;
  readonly lead?: string;
  /** The fragment that links use. */
  readonly anchor?: string;
  readonly children: ReactNode;
}

export function Section({ title, lead, anchor, children }: SectionProps) {
  const id = useId();
  return (
    <section id={anchor} aria-labelledby={id} className="card mb-5 scroll-mt-6 p-5 sm:p-6">
      <h2 id={id} className="text-xl">
        {title}
      </h2>
      {lead && <p className="mt-1 text-soft">{lead}</p>}
      <div className="mt-4">{children}</div>
    </section>
  );
}
