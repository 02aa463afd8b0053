/** What a hook returns when a component is first drawn, for tests without a browser. No effect runs. */
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';

/** With the client of its queries, if it has any: they are there afterwards, but nothing was asked. */
export function readHook<T>(hook: () => T, client?: QueryClient): T {
  const values: T[] = [];
  const Reader = () => {
    values.push(hook());
    return null;
  };
  const reader = createElement(Reader);
  renderToStaticMarkup(client ? createElement(QueryClientProvider, { client }, reader) : reader);
  return values[0] as T;
}
