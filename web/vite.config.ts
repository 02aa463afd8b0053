import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run dev -w web` talks to a service that runs beside it. */
const SERVICE = 'http://localhost:8080';

// biome-ignore lint/style/noDefaultExport: Vite reads its configuration so.
export default defineConfig({
  base: '/app/',
  plugins: [react(), tailwind()],
  build: {
    target: 'es2022',
    // Inlined files would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Two files that every screen needs instead of twenty: a request costs a kilobyte of headers.
        codeSplitting: {
          groups: [
            { name: 'libraries', test: /node_modules\/(?!chrono-node|uqr|@tanstack\/(react-)?virtual)/ },
            {
              name: 'common',
              test: /web\/src\/(api|data|time|ui|strings|shell|tasks\/(stage|snooze)|quick-add\/(quick-add|recurrence))/,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(['/v1', '/app/session', '/openapi.json'].map((path) => [path, SERVICE])),
  },
});
