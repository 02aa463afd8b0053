import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run dev -w web` forwards API requests to a service on this machine. */
const SERVICE = 'http://localhost:8080';

// biome-ignore lint/style/noDefaultExport: Vite requires a default export.
export default defineConfig({
  base: '/app/',
  plugins: [react(), tailwind()],
  build: {
    target: 'es2022',
    // The content security policy does not allow inlined files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Two files for what every screen needs instead of twenty: each request costs a kilobyte of headers.
        codeSplitting: {
          groups: [
            { name: 'libraries', test: /node_modules\/(?!uqr|@simplewebauthn|@tanstack\/(react-)?virtual)/ },
            {
              name: 'common',
              test: /src\/words\/(names|rule-keys|wall-time)|web\/src\/(api|data\/(?!archive|planned-pause|requests|send-batch)|time|ui\/(?!qr-code|copy-box|device-name|stepper|sheet-actions|discard-or-keep)|strings|shell|passkeys\/place|sign-in\/(sign-in-options|code-field|proof-window)|ladder\/(stage|shown)|find\/(filters|labels?\.|shortcuts\.)|tasks\/(group|list-paths|redate|selection\.|task-(row|list|screen))|quick-add\/(quick-add|draft|kept-text)|recurrence\/(recurrence|format))/,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(['/v1', '/app/session', '/app/live', '/openapi.json'].map((path) => [path, SERVICE])),
  },
});
