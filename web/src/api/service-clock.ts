/**
 * The time of the service. It is the browser's own time, unless the service runs faster than real time (CLOCK_SPEED)
 * and says so in its answers. Waits and expiry inside the browser use the browser's clock.
 */
const CHANGED = 'service-clock';

let told = { serviceMs: 0, browserMs: 0, speed: 1 };

export function serviceNow(): number {
  if (told.speed === 1) return Date.now();
  return told.serviceMs + (Date.now() - told.browserMs) * told.speed;
}

export const serviceSpeed = () => told.speed;

export function readServiceClock(headers: Headers): void {
  const [at = '', speed = ''] = (headers.get('x-service-clock') ?? '').split(' ');
  if (!(Number(speed) > 1) || Number.isNaN(Date.parse(at))) return;
  const isNew = told.speed !== Number(speed);
  told = { serviceMs: Date.parse(at), browserMs: Date.now(), speed: Number(speed) };
  if (isNew) dispatchEvent(new Event(CHANGED));
}

export function onServiceClock(listener: () => void): () => void {
  addEventListener(CHANGED, listener);
  return () => removeEventListener(CHANGED, listener);
}
