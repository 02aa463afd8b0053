/** Limits that push providers share: how long a push is kept, and how many bytes it may have. */

/** Four weeks, the maximum of both FCM and Web Push. */
const MAX_TTL_SECONDS = 2_419_200;

/** Zero after `expiresAt`: the provider then delivers at once or never. */
export function timeToLiveSeconds(expiresAt: Date, now: Date): number {
  const seconds = Math.ceil((expiresAt.getTime() - now.getTime()) / 1_000);
  return Math.min(Math.max(seconds, 0), MAX_TTL_SECONDS);
}

interface Fitting<T> {
  readonly payload: T;
  /** The measured JSON, so that no sender serialises the payload a second time. */
  readonly json: string;
}

/** Builds the payload with the longest beginning of the title that keeps its JSON within `maxBytes`. */
export function withFittingTitle<T>(title: string, maxBytes: number, build: (title: string) => T): Fitting<T> {
  for (let titleBytes = Buffer.byteLength(title); ; ) {
    const payload = build(truncateToBytes(title, titleBytes));
    const json = JSON.stringify(payload);
    const excess = Buffer.byteLength(json) - maxBytes;
    if (excess <= 0 || titleBytes <= 0) return { payload, json };
    // A character takes at least as many bytes in JSON as in the title, so cutting the excess is enough.
    titleBytes -= excess;
  }
}

/** The longest beginning of the text that fits into `maxBytes` of UTF-8. Never cuts inside a grapheme. */
export function truncateToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const ellipsis = '…';
  let bytesLeft = maxBytes - Buffer.byteLength(ellipsis);
  let kept = '';
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    bytesLeft -= Buffer.byteLength(segment);
    if (bytesLeft < 0) break;
    kept += segment;
  }
  return kept + ellipsis;
}
