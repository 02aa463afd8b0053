/**
 * What assistants sent in 2026, and the addresses they redirect to. The bodies and documents come from their makers'
 * pages and from reports in issue trackers. If a client changes them, change them here too.
 */
import type { Fields } from './assistants.ts';

export const REGISTRATIONS: readonly [body: object, comesBackTo: string, query?: Fields][] = [
  // Claude.
  [
    {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
    'https://claude.ai/api/mcp/auth_callback',
    { scope: ' offline_access' },
  ],
  // Claude Code.
  [
    {
      client_name: 'Claude Code (crescendo)',
      redirect_uris: ['http://localhost:3118/callback'],
      token_endpoint_auth_method: 'none',
    },
    'http://localhost:54545/callback',
  ],
  // VS Code.
  [
    {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    'http://127.0.0.1:33418/',
  ],
  // Cursor.
  [
    {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
    },
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ],
  // Inspector.
  [
    {
      client_name: 'MCP Inspector',
      redirect_uris: ['http://127.0.0.1:6276/oauth/callback'],
      token_endpoint_auth_method: 'none',
    },
    'http://127.0.0.1:6276/oauth/callback',
  ],
];

export const DOCUMENTS: readonly [document: object, comesBackTo: string][] = [
  // Claude, and Claude Code with any port.
  [
    {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      token_endpoint_auth_method: 'none',
    },
    'https://claude.ai/api/mcp/auth_callback',
  ],
  [{ redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'] }, 'http://localhost:3118/callback'],
  // ChatGPT, which signs, or does not.
  [
    {
      client_name: 'ChatGPT',
      redirect_uris: ['https://chatgpt.com/connector/oauth/abc'],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
      token_endpoint_auth_signing_alg: 'RS256',
      jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
    },
    'https://chatgpt.com/connector/oauth/abc',
  ],
];
