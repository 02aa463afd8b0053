/**
 * A page without scripts, in the design of the web app. Its policy allows only the inline style sheet, by its hash, and
 * our own images.
 */
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { words } from '../../lib/words.ts';

/** The colours of `web/src/styles.css`; a test compares them. */
const COLOURS = `
  --paper: light-dark(#f7f3ec, #15120e); --card: light-dark(#fffdf9, #1e1a15); --sunk: light-dark(#efe9de, #120f0c);
  --ink: light-dark(#221c15, #f2eade); --soft: light-dark(#665c50, #b0a494); --line: light-dark(#e3d9c9, #352d24);
  --strong-line: light-dark(#8d8070, #857968); --ember: light-dark(#ae3a0a, #ff935f);
  --on-ember: light-dark(#fffaf5, #2a0f02); --stage-0: light-dark(#8f5f0c, #e6b552);
  --stage-1: light-dark(#b04a0b, #f5924f); --stage-2: light-dark(#ab2118, #ff7a6c); --good: light-dark(#2b6349, #82cca8);
`;

/** Nothing scrolls sideways: long words, commands and tables wrap. */
const STYLE = `
  :root { color-scheme: light dark; ${COLOURS} }
  body { background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; max-width: 44rem; margin: 0 auto; padding: 1.25rem 1.25rem 4rem; overflow-wrap: anywhere; }
  h1, h2, h3, .brand { font-family: ui-serif, "Iowan Old Style", Palatino, Georgia, serif; font-weight: 600; line-height: 1.2; letter-spacing: -0.012em; text-wrap: balance; }
  h1 { font-size: clamp(1.9rem, 7vw, 2.75rem); margin: 2rem 0 0.5rem; }
  h2 { margin: 2.5rem 0 0.5rem; }
  .brand { font-size: 1.25rem; }
  .brand a { text-decoration: none; }
  .brand span { color: var(--ember); }
  a { color: inherit; text-decoration-color: var(--ember); text-underline-offset: 0.2em; }
  :focus-visible { outline: 2.5px solid var(--ember); outline-offset: 2px; }
  code { font: 0.875em ui-monospace, "SF Mono", Menlo, monospace; background: var(--sunk); padding: 0.1em 0.3em; border-radius: 0.25em; }
  pre { background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; padding: 0.75rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
  pre code { background: none; padding: 0; }
  button, .action { font: inherit; box-sizing: border-box; display: block; width: 100%; min-height: 2.75rem; padding: 0.625rem 1.25rem; margin: 0.5rem 0; border: 1px solid var(--strong-line); border-radius: 0.75rem; background: none; color: inherit; cursor: pointer; text-align: center; text-decoration: none; }
  button.first, .action { background: var(--ember); border-color: var(--ember); color: var(--on-ember); font-weight: 600; }
  table { border-collapse: collapse; width: 100%; }
  th, td { border-bottom: 1px solid var(--line); padding: 0.35rem 0.75rem 0.35rem 0; text-align: left; vertical-align: top; }
  th { white-space: nowrap; }
  .lead { font-size: 1.125rem; color: var(--soft); margin: 0 0 1.5rem; }
  .leads { list-style: none; margin: 2rem 0 0; padding: 0; display: grid; gap: 0.75rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); }
  .leads li { background: var(--card); border: 1px solid var(--line); border-radius: 1.125rem; padding: 0.875rem 1.125rem; color: var(--soft); }
  .leads a { color: var(--ink); display: block; font-weight: 600; }
  figure { background: var(--card); border: 1px solid var(--line); border-radius: 1.125rem; margin: 0 0 1.5rem; padding: 1.125rem; }
  figure > p { margin: 0; font-weight: 600; }
  figure > p span, figcaption, .ladder small { color: var(--soft); font-weight: 400; }
  figcaption { margin-top: 0.75rem; }
  .ladder { list-style: none; display: flex; align-items: flex-end; gap: 0.25rem; height: 15rem; margin: 0; padding: 0; }
  .ladder li { flex: 1 1 0; min-width: 0; display: flex; flex-direction: column; align-items: center; justify-content: flex-end; height: 100%; text-align: center; font-size: 0.75rem; line-height: 1.25; }
  .ladder b { white-space: nowrap; }
  .ladder small { font-size: 0.6875rem; min-height: 1.75rem; overflow-wrap: normal; hyphens: auto; }
  .ladder i { width: 0.75rem; border-radius: 0.375rem; margin-bottom: 0.375rem; transform-origin: bottom; background: currentColor; box-sizing: border-box; }
  .first i { height: 25%; color: var(--stage-0); }
  .pressing i { height: 45%; color: var(--stage-1); }
  .insisting i { height: 65%; color: var(--stage-2); }
  .ladder .done i { width: 1.75rem; height: 1.75rem; border-radius: 50%; color: var(--good); }
  .done i::before { content: "\\2713"; color: var(--card); font: bold 1.125rem/1.75rem system-ui, sans-serif; }
  .done b { color: var(--good); }
  .never i { height: 65%; color: var(--strong-line); background: none; border: 1.5px dashed; }
  @media (min-width: 36rem) { td:first-child { overflow-wrap: break-word; } .ladder i { width: 1rem; border-radius: 0.5rem; } .ladder li { font-size: 0.8125rem; } .ladder small { font-size: 0.75rem; } .action { display: inline-block; width: auto; } }
  @media (max-width: 35.99rem) { table, tbody, tr, td { display: block; } thead { display: none; } td { border: 0; padding: 0; } tr { border-bottom: 1px solid var(--line); padding: 0.5rem 0; } td:first-child { font-weight: 600; } }
  @media (prefers-reduced-motion: no-preference) {
    @keyframes rise { from { transform: scaleY(0); } }
    @keyframes appear { from { opacity: 0; } }
    .ladder i { animation: rise 0.5s cubic-bezier(0.2, 0.9, 0.3, 1.2) both; }
    .ladder li { animation: appear 0.3s both; }
    .ladder li:nth-child(2), .ladder li:nth-child(2) i { animation-delay: 0.6s; }
    .ladder li:nth-child(3), .ladder li:nth-child(3) i { animation-delay: 1.2s; }
    .ladder li:nth-child(4), .ladder li:nth-child(4) i { animation-delay: 1.8s; }
    .ladder li:nth-child(5), .ladder li:nth-child(5) i { animation-delay: 2.4s; }
    .ladder li:nth-child(6), .ladder li:nth-child(6) i { animation-delay: 3.3s; }
    .ladder li:nth-child(7), .ladder li:nth-child(7) i { animation-delay: 3.9s; }
  }
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
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<style>${STYLE}</style>
</head>
<body>
<header class="brand"><a href="/">${words.name}<span aria-hidden="true"> &lt;</span></a></header>
<main>
${body}
</main>
</body>
</html>
`);
}
