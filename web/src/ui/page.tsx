/** The frame of a screen. Its heading takes the focus on navigation, so that screen readers announce the new screen. */
import { Link, useRouter } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import { problemText } from '../api/problem.ts';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { setScreenTitle } from './tab-title.ts';

let isFirstPage = true;

interface BackLink {
  readonly to: '/' | '/upcoming' | '/someday' | '/spaces' | '/settings' | '/settings/admin';
  readonly label: string;
  /** Goes back in the history if the entry before this one is the page that the link leads to. */
  readonly isPrevious?: boolean;
}

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly back?: BackLink;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export function Page({ title, lead, actions, back, wide = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { history } = useRouter();
  const goBack = (event: MouseEvent) => {
    event.preventDefault();
    history.back();
  };
  useEffect(() => {
    setScreenTitle(strings.pageTitle(title));
  }, [title]);
  useEffect(() => {
    // The browser places the focus on the first page; only navigation moves it.
    if (!isFirstPage) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
  return (
    <div className={`mx-auto w-full px-4 pt-6 pb-36 sm:px-6 lg:pt-10 lg:pb-24 ${wide ? 'max-w-3xl' : 'max-w-2xl'}`}>
      {back && (
        <Link
          to={back.to}
          onClick={back.isPrevious ? goBack : undefined}
          className="-mt-3 mb-1 -ml-2 inline-flex min-h-11 items-center gap-1 rounded-full px-2 text-soft hover:text-ink"
        >
          <Icon name="back" className="size-4.5" />
          {back.label}
        </Link>
      )}
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

export function EmptyState({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
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

export function LoadError({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  return (
    <div className="card px-6 py-10 text-center" role="alert">
      <p className="font-serif text-xl">{strings.problems.title}</p>
      <p className="mx-auto mt-2 mb-5 max-w-sm text-soft">{problemText(error)}</p>
      <Button onClick={retry}>{strings.tryAgain}</Button>
    </div>
  );
}
