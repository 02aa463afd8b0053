/** Which addresses this service has: an older one lacks what a newer app could show. */
import { useQuery } from '@tanstack/react-query';
import { offline } from '../api/problem.ts';

async function readPaths(): Promise<string[]> {
  const response = await fetch('/openapi.json').catch(() => {
    throw offline();
  });
  const { paths = {} } = (await response.json()) as { paths?: object };
  return Object.keys(paths);
}

export function useHasPath(): (path: string) => boolean {
  const { data } = useQuery({ queryKey: ['api-paths'], queryFn: readPaths, staleTime: 3_600_000 });
  return (path) => data?.includes(path) ?? false;
}
