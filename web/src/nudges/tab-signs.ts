/** Shows a count where it is seen while another tab or program is in front: in the title, the icon and the badge. */
import { countInTitle } from '../ui/tab-title.ts';

const MOST_SHOWN = 9;
const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
const plainIcon = link?.href ?? '';

export function showCount(count: number): void {
  countInTitle(count);
  if (link) link.href = count > 0 ? countedIcon(count) : plainIcon;
  // Only an installed app has a badge; others refuse.
  const shown = count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.();
  shown?.catch(() => undefined);
}

// A badge outlives the app, and would go on counting what was dealt with elsewhere.
addEventListener('pagehide', () => void navigator.clearAppBadge?.().catch(() => undefined));

function countedIcon(count: number): string {
  const text = count > MOST_SHOWN ? `${MOST_SHOWN}+` : String(count);
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#b3261e"/>' +
    `<text x="16" y="24" font-family="sans-serif" font-size="${count > MOST_SHOWN ? 18 : 24}" font-weight="700" ` +
    `text-anchor="middle" fill="#fff">${text}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
