import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** The browser's Back, and Forward, close what is open as Escape does, and leave the page only the next time. */
export function useAsksBeforeBack(closeOrAsk: () => void): void {
  const { history } = useRouter();
  const latest = useRef(closeOrAsk);
  latest.current = closeOrAsk;
  useEffect(
    () =>
      history.block({
        // A reload keeps the draft.
        enableBeforeUnload: false,
        blockerFn: ({ action }) => {
          // The app itself leads to the sign-in screen, or to the address with the id of the service.
          if (action === 'PUSH' || action === 'REPLACE') return false;
          latest.current();
          return true;
        },
      }),
    [history],
  );
}
