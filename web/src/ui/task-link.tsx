/**
 * A link to a task. The router's own link re-renders on every navigation, which is slow in a list of a
 * thousand tasks; this one uses the router only when it is clicked.
 */
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The screen before this one. Going back there restores its filters and how far it was scrolled. */
    cameFrom?: string;
  }
}

interface TaskLinkProps {
  readonly taskId: string;
  readonly className?: string;
  readonly children: ReactNode;
}

export function TaskLink({ taskId, className = '', children }: TaskLinkProps) {
  const router = useRouter();
  const navigate = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const { pathname } = router.state.location;
    void router.navigate({ to: '/tasks/$taskId', params: { taskId }, state: { cameFrom: pathname } });
  };
  return (
    <a href={`/app/tasks/${taskId}`} onClick={navigate} className={`underline-offset-4 hover:underline ${className}`}>
      {children}
    </a>
  );
}
