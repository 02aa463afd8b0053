/** The browser's offer to install the app, kept until somebody asks for it. */
import { Store } from '../data/store.ts';

interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
}

export const installPrompt = new Store<InstallPrompt | undefined>(undefined);

export function catchInstallPrompt(): void {
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    installPrompt.set(event as InstallPrompt);
  });
  addEventListener('appinstalled', () => installPrompt.set(undefined));
}
