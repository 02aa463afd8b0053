/**
 * Converts Prometheus' text format to OpenMetrics. prom-client can write OpenMetrics too, but then it removes
 * the suffix `_total` from the names of its counters permanently, so the next scrape in Prometheus' format would
 * show counters with other names.
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

/** Scrapers list the format they prefer first. A scraper that lists neither gets Prometheus' format. */
export function prefersOpenMetrics(accept = ''): boolean {
  const [first] = /application\/openmetrics-text|text\/plain/i.exec(accept) ?? [];
  return first !== undefined && first.toLowerCase() !== 'text/plain';
}
