/** The frame of a screen: its heading takes the focus when one comes to it, so that a reader knows where they are. */
import { type ReactNode, useEffect, useRef } from 'react';
import { wordsOf } from '../api/problem.ts';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';

let isFirst = true;

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** The way to where one came from. */
  readonly back?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export function Page({ title, lead, actions, back, wide = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = strings.pageTitle(title);
  }, [title]);
  useEffect(() => {
    // The page as it opened is where the browser put it; only a change of screens moves the focus.
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <div className={`mx-auto w-full px-4 pt-6 pb-36 sm:px-6 lg:pt-10 lg:pb-24 ${wide ? 'max-w-3xl' : 'max-w-2xl'}`}>
      {back}
      <header className="mb-6 flex flex-wrap items-end justify-between gap-x-4 gap-y-3">
        <div className="min-w-0">
          <h1 ref={heading} tabIndex={-1} className="text-[2rem] sm:text-4xl">
            {title}
          </h1>
          {lead && <div className="mt-1.5 text-soft">{lead}</div>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function Skeleton({ rows = 4, tall = false }: { readonly rows?: number; readonly tall?: boolean }) {
  return (
    <div className="grid gap-3" aria-busy="true">
      <span className="sr-only">{strings.loading}</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike.
        <div key={row} className={`skeleton w-full ${tall ? 'h-40' : 'h-17'} rounded-card!`} />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="px-6 py-14 text-center">
      <svg viewBox="0 0 120 40" className="mx-auto mb-5 h-10 text-line" aria-hidden="true">
        <path d="M116 4L6 20l110 16" fill="none" stroke="currentColor" strokeWidth="3" strokeLinecap="round" />
      </svg>
      <p className="font-serif text-xl">{title}</p>
      {children && <div className="mx-auto mt-2 max-w-sm text-soft">{children}</div>}
    </div>
  );
}

export function Trouble({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  return (
    <div className="card px-6 py-10 text-center" role="alert">
      <p className="font-serif text-xl">{strings.problems.title}</p>
      <p className="mx-auto mt-2 mb-5 max-w-sm text-soft">{wordsOf(error)}</p>
      <Button onClick={retry}>{strings.tryAgain}</Button>
    </div>
  );
}
