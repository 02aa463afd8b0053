import { useEffect, useState } from 'react';
import { onServiceClock, serviceNow, serviceSpeed } from '../api/service-clock.ts';

const TICK_MS = 15_000;
/** However fast the service runs, the screen is drawn at most this often. */
const SHORTEST_TICK_MS = 500;

/** The current time of the service, updated while the page is visible. */
export function useNow(): number {
  const [now, setNow] = useState(serviceNow);
  useEffect(() => {
    const tick = () => document.visibilityState === 'visible' && setNow(serviceNow());
    let timer: ReturnType<typeof setInterval>;
    const start = () => {
      clearInterval(timer);
      timer = setInterval(tick, Math.max(SHORTEST_TICK_MS, TICK_MS / serviceSpeed()));
    };
    start();
    const stopListening = onServiceClock(() => {
      start();
      tick();
    });
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      stopListening();
      document.removeEventListener('visibilitychange', tick);
    };
  }, []);
  return now;
}
