/** Checks that the web app was built from the sources of this release: an upgrade that forgot it serves the old one. */
import { PREPARE_REMEDY, WebApp } from '../../http/web-app/web-app.ts';
import { type Check, fine, reasonOf, warning } from './check.ts';

export const webAppCheck = (folder: string): Check => ({
  name: 'web app',
  settings: ['ROLE'],
  run: async ({ config, logger }) => {
    if (config.ROLE === 'engine') return undefined;
    const webApp = new WebApp(folder, logger);
    const state = await webApp.state();
    if (state === 'current') return fine('built from the sources of this release');
    if (state === 'stale') return warning('people get the app of an earlier release', PREPARE_REMEDY);
    try {
      webApp.requireWritable();
      return fine('not built yet; the first start builds it');
    } catch (error) {
      return warning(`not built yet, and this user may not build it: ${reasonOf(error)}`, PREPARE_REMEDY);
    }
  },
});
