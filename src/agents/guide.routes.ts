/** `/guide` as an HTML page for people and as Markdown for programs, and `/llms.txt`, which points programs to it. */
import type { Routes } from '../http/app.ts';
import { baseUrlOfRequest } from '../http/base-url.ts';
import { sendStaticPage } from '../http/web-app/static-page.ts';
import { guideAsHtml, guideAsMarkdown } from './guide.ts';

const hidden = { schema: { hide: true } };
const MARKDOWN = 'text/markdown; charset=utf-8';

export const guideRoutes =
  (baseUrl: string | undefined): Routes =>
  (app) => {
    app.get('/guide', hidden, async (request, reply) => {
      const address = baseUrlOfRequest(request, baseUrl);
      reply.header('vary', 'accept');
      if (prefersHtml(request.headers.accept)) {
        return sendStaticPage(reply, 'Connect an agent to Crescendo', await guideAsHtml(address));
      }
      return reply.type(MARKDOWN).send(await guideAsMarkdown(address));
    });
    app.get('/llms.txt', hidden, async (request, reply) =>
      reply.type('text/plain; charset=utf-8').send(llmsText(baseUrlOfRequest(request, baseUrl))),
    );
  };

/** Browsers always list text/html. A client that does not, or that asks for Markdown, is a program. */
const prefersHtml = (accept = ''): boolean => accept.includes('text/html') && !accept.includes('text/markdown');

const llmsText = (address: string): string => `# Crescendo

> Reminders that keep coming, a little stronger each time, until the task is dealt with. Agents act for a user with an
> access token, over MCP or REST.

## Docs

- [Agent guide](${address}/guide): what to ask for, get access, configure an MCP client, scopes, limits, errors
- [MCP server](${address}/mcp/all): streamable HTTP, every tool; needs an access token as bearer, or a connection
- [MCP server with six tools](${address}/mcp): the same with the basic tools only
- [OpenAPI description](${address}/openapi.json): every call of the REST API
`;
