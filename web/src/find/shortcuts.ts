/**
 * Keyboard shortcuts. A key presses the button that carries it in `aria-keyshortcuts`, so whatever a key does can be
 * done with the button too. Keys of a task act on the selected tasks, else on the row with the focus, else on the page.
 */
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Store } from '../data/store.ts';

const KEY = 'crescendo-single-keys';
/** Speech input can type single letters by accident, so they can be turned off. */
export const hasSingleKeys = new Store(globalThis.localStorage?.getItem(KEY) !== 'off');

export function setSingleKeys(isOn: boolean): void {
  hasSingleKeys.set(isOn);
  localStorage.setItem(KEY, isOn ? 'on' : 'off');
}

const PAGES = ['/', '/upcoming', '/someday', '/spaces', '/history', '/settings'] as const;

interface ShortcutOptions {
  readonly onSearch: () => void;
  readonly onHelp: () => void;
}

export function useShortcuts({ onSearch, onHelp }: ShortcutOptions): void {
  const router = useRouter();
  useEffect(() => {
    const singleKeys: Readonly<Record<string, () => boolean>> = {
      '/': () => run(onSearch),
      '?': () => run(onHelp),
      j: () => moveFocus(1),
      k: () => moveFocus(-1),
      ...Object.fromEntries(PAGES.map((to, index) => [index + 1, () => run(() => void router.navigate({ to }))])),
      n: () => pressButton('n') || run(() => void router.navigate({ to: '/' })),
    };
    const pressedAlone = (key: string): boolean => {
      const arrow = ARROWS[key];
      if (arrow) return focusedRow() !== undefined && moveFocus(arrow);
      return hasSingleKeys.value && (singleKeys[key]?.() ?? pressButton(key));
    };
    const pressed = (event: KeyboardEvent): boolean => {
      if (event.altKey) return false;
      const isTyping = isTypingIn(event.target);
      if (event.ctrlKey || event.metaKey) return pressedWithControl(event.key.toLowerCase(), onSearch);
      return !isTyping && pressedAlone(event.key);
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && !event.isComposing && pressed(event)) event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [router, onSearch, onHelp]);
}

const ARROWS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

function pressedWithControl(key: string, onSearch: () => void): boolean {
  return key === 'k' && run(onSearch);
}

function run(action: () => void): true {
  action();
  return true;
}

const TEXT_FIELDS = 'input:not([type=checkbox]),textarea,select,dialog';
const isTypingIn = (target: EventTarget | null) => target instanceof Element && target.closest(TEXT_FIELDS) !== null;

const rows = () => [...document.querySelectorAll<HTMLElement>('[data-shortcuts=row]')];
const focusedRow = () => document.activeElement?.closest<HTMLElement>('[data-shortcuts=row]') ?? undefined;

/** Rows are moved through in the order of the screen; without one in focus the first is next. */
function moveFocus(by: 1 | -1): boolean {
  const all = rows();
  const current = focusedRow();
  const next = current ? all[all.indexOf(current) + by] : all[0];
  return next !== undefined && run(() => focusRow(next));
}

function focusRow(row: HTMLElement): void {
  row.querySelector<HTMLElement>('a,input')?.focus();
  row.scrollIntoView({ block: 'nearest' });
}

function pressButton(key: string): boolean {
  const row = focusedRow();
  const button = `[aria-keyshortcuts~="${CSS.escape(key)}"]`;
  const target =
    document.querySelector<HTMLElement>(`[data-shortcuts=selection] ${button}`) ??
    row?.querySelector<HTMLElement>(button) ??
    document.querySelector<HTMLElement>(`main ${button}:not([data-shortcuts=row] *)`);
  if (!target) return false;
  if (target instanceof HTMLTextAreaElement) target.focus();
  else {
    // The row may leave the screen, and the focus with it.
    if (key === 'd' && row?.contains(target)) moveFocus(rows().at(-1) === row ? -1 : 1);
    target.click();
  }
  return true;
}
