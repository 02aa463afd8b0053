/** Light, dark or as the system. `public/theme.js` applies the choice before the first paint. */
const KEY = 'crescendo-theme';

/** Empty: as the system. */
export const chosenTheme = (): string => localStorage.getItem(KEY) ?? '';

export function chooseTheme(theme: string): void {
  if (theme === '') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  document.documentElement.dataset.theme = theme;
  const metas = document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]');
  for (const meta of metas)
    meta.media = theme === '' ? `(prefers-color-scheme: ${schemeOf(meta)})` : mediaFor(theme, meta);
}

/** The browser takes the first colour that applies. */
const mediaFor = (theme: string, meta: HTMLMetaElement): string => (schemeOf(meta) === theme ? 'all' : 'not all');

const schemeOf = ({ dataset }: HTMLMetaElement): string => dataset.scheme ?? '';
