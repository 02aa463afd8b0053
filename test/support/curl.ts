/** Reads a pasted `curl` the way a shell would, as far as the guide's examples go, and does it with `fetch`. */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';

type Variables = Readonly<Record<string, string>>;

/** Single quotes keep everything, double quotes know variables, a backslash joins lines. */
function wordsOf(command: string, variables: Variables): string[] {
  const text = command.replaceAll(/\\\n\s*/g, ' ').trim();
  const word = /(?:'[^']*'|"[^"]*"|[^\s'"]+)+/g;
  return [...text.matchAll(word)].map(([raw]) => raw.replaceAll(/'([^']*)'|"([^"]*)"|([^'"]+)/g, unquote));

  function unquote(_match: string, single?: string, double?: string, bare?: string): string {
    if (single !== undefined) return single;
    return (double ?? bare ?? '').replaceAll(/\$(\w+)/g, (_, name: string) => {
      assert.ok(name in variables, `the example needs ${name}, which nobody sets`);
      return variables[name] ?? '';
    });
  }
}

export async function runCurl(command: string, variables: Variables): Promise<{ status: number; body: string }> {
  const [program, ...words] = wordsOf(command, variables);
  assert.equal(program, 'curl');
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      silent: { type: 'boolean', short: 's' },
      header: { type: 'string', short: 'H', multiple: true },
      data: { type: 'string', short: 'd' },
    },
  });
  assert.equal(positionals.length, 1, `one address is expected: ${positionals}`);
  const headers = (values.header ?? []).map(splitHeader);
  const { data } = values;
  const init = data === undefined ? { headers } : { method: 'POST', headers, body: data };
  const response = await fetch(positionals[0] ?? '', init);
  return { status: response.status, body: await response.text() };
}

function splitHeader(text: string): [string, string] {
  const colon = text.indexOf(':');
  return [text.slice(0, colon), text.slice(colon + 1).trim()];
}
