/**
 * A link to a task. The router's own link follows every change of address, which a list of a thousand
 * feels; this one only asks the router when it is followed.
 */
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

interface TaskLinkProps {
  readonly taskId: string;
  readonly className?: string;
  readonly children: ReactNode;
}

export function TaskLink({ taskId, className = '', children }: TaskLinkProps) {
  const router = useRouter();
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate({ to: '/tasks/$taskId', params: { taskId } });
  };
  return (
    <a href={`/app/tasks/${taskId}`} onClick={follow} className={`underline-offset-4 hover:underline ${className}`}>
      {children}
    </a>
  );
}
