/** The browser's install prompt, kept until the user asks for it in the settings. */
import { Store } from './store.ts';

interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
}

export const installPrompt = new Store<InstallPrompt | undefined>(undefined);

export function captureInstallPrompt(): void {
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    installPrompt.set(event as InstallPrompt);
  });
  addEventListener('appinstalled', () => installPrompt.set(undefined));
}
