/**
 * The same figures in the newer of the two formats. prom-client could write it too, but takes the
 * ending off its counters' names for good when it does, and the next scrape in the older format
 * would be about counters of another name.
 */
export function toOpenMetrics(prometheus: string): string {
  const counters = new Set(Array.from(prometheus.matchAll(/^# TYPE (\w+)_total counter$/gm), ([, name]) => name));
  const text = prometheus
    .replaceAll(/^(# (?:HELP|TYPE) )(\w+)_total /gm, (line, start: string, name: string) =>
      counters.has(name) ? `${start}${name} ` : line,
    )
    .replaceAll(/\n{2,}/g, '\n');
  return `${text}# EOF\n`;
}

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
export const OPENMETRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** By whichever of the two is named first, as scrapers list them; whoever names neither gets the older one. */
export function wantsOpenMetrics(accept = ''): boolean {
  const [first] = /application\/openmetrics-text|text\/plain/i.exec(accept) ?? [];
  return first !== undefined && first.toLowerCase() !== 'text/plain';
}
