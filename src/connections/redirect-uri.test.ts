import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redirectKindOf } from './redirect-uri.ts';

const KINDS: Readonly<Record<string, readonly string[]>> = {
  web: ['https://claude.ai/api/mcp/auth_callback', 'https://assistant.example/callback?tenant=7'],
  own_machine: ['http://localhost:3118/callback', 'http://127.0.0.1/', 'http://[::1]:7/cb'],
  // Known assistants, and names of apps that contain the domain of their maker.
  app: [
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://vscode.github-authentication/did-authenticate',
    'vscode-insiders://vscode.github-authentication/did-authenticate',
    'windsurf://codeium.windsurf/callback',
    'warp://mcp/oauth2callback',
    'raycast://oauth?package_name=mcp_server_crescendo',
    'com.example.app://callback',
    'org.example-maker.app2://callback/path?x=1',
    'com.example.app:/callback',
    'com.example.app:/oauth2redirect/provider?x=1',
  ],
  refused: [
    'ms-msdt://x/y',
    'search-ms://query=x/y',
    'search://x/y',
    'ms-officecmd://x/y',
    'ms-settings://x/y',
    'ms-appinstaller://x/?source=https://evil.example',
    'shell://x/y',
    'steam://run/1',
    'zoommtg://zoom.us/join',
    'myapp://callback',
    'cursorx://x/y',
    'xcursor://x/y',
    'vscode-x://x/y',
    'Cursor://anysphere.cursor-mcp/oauth/callback',
    'x-apple.systempreferences://x/y',
    'ms-msdt.x://x/y',
    'web+com.example://x/y',
    'search.://x/y',
    '.search://x/y',
    'search..ms://x/y',
    'com.-x://x/y',
    'com.example.app:callback',
    'com.example.app:/',
    'com.example.app:/?x=1',
    'com.example.app:/../callback',
    'com.example.app:/a/%2e%2e/callback',
    'cursor:/callback',
    'search-ms:/callback',
    'Com.example.app:/callback',
    'com.example.app:///callback',
    'javascript://x/y',
    'data://x/y',
    'file://x/y',
    'intent://x/y',
    'http://assistant.example/callback',
    'ftp://assistant.example/callback',
  ],
};

test('a code is sent to websites over https, to programs on the own machine, and to apps that can be told apart', () => {
  for (const [kind, uris] of Object.entries(KINDS)) {
    for (const uri of uris) assert.equal(redirectKindOf(uri) ?? 'refused', kind, uri);
  }
});
