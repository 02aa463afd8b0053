/** The server of a URL, in one spelling: without its path, its default port and the dot that may end a host name. */
export function serverOf(url: string): string {
  const { origin, hostname } = new URL(url);
  return hostname.endsWith('.') ? origin.replace(hostname, hostname.slice(0, -1)) : origin;
}

/** Null if the text is not a URL. */
export const findServer = (url: string): string | null => (URL.canParse(url) ? serverOf(url) : null);
