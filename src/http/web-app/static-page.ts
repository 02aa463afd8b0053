/** A page without scripts. Its policy allows only the inline style sheet, by its hash, and our own images. */
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

const STYLE = `
  :root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #d9480f; }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 8vh auto; padding: 0 1.25rem; }
  h1 { font-size: 2.25rem; letter-spacing: -0.02em; margin: 0 0 0.25rem; }
  h1 span { color: var(--accent); }
  h2 { margin-top: 2.5rem; }
  dl { border-top: 1px solid var(--line); margin-top: 2rem; }
  dt { font-weight: 600; padding-top: 1rem; }
  dd { margin: 0; padding-bottom: 1rem; border-bottom: 1px solid var(--line); }
  a { color: inherit; text-decoration-color: var(--accent); text-underline-offset: 0.2em; }
  code { font: 0.875em ui-monospace, monospace; background: var(--soft); padding: 0.1em 0.3em; border-radius: 0.25em; }
  pre { background: var(--soft); border: 1px solid var(--line); border-radius: 0.5rem; padding: 0.75rem 1rem; overflow-x: auto; }
  pre code { background: none; padding: 0; }
  button { font: inherit; width: 100%; padding: 0.75rem; margin: 0.25rem 0; border: 1px solid var(--line); border-radius: 0.5rem; background: none; color: inherit; cursor: pointer; }
  button.first { background: CanvasText; border-color: CanvasText; color: Canvas; }
  table { border-collapse: collapse; display: block; overflow-x: auto; }
  th, td { border-bottom: 1px solid var(--line); padding: 0.35rem 0.75rem 0.35rem 0; text-align: left; vertical-align: top; }
`;

const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
const policyWith = (formAction: string) =>
  `default-src 'none'; style-src ${STYLE_SOURCE}; img-src 'self'; base-uri 'none'; form-action ${formAction}; ` +
  "frame-ancestors 'none'";

interface PageOptions {
  /** The page has forms that post to this service. */
  readonly forms?: boolean;
}

export function sendStaticPage(
  reply: FastifyReply,
  title: string,
  body: string,
  { forms = false }: PageOptions = {},
): FastifyReply {
  return reply
    .header('content-security-policy', policyWith(forms ? "'self'" : "'none'"))
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`);
}
