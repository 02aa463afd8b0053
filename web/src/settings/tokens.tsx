import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type AccessToken, api, type MintedToken, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { queryClient } from '../data/query-client.ts';
import { useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { formatMoment } from '../time/format.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyBox } from '../ui/copy-box.tsx';
import { Field, Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';

const { settings: words } = screenStrings;

const tokensOptions = queryOptions({ queryKey: ['tokens'], queryFn: () => unwrap(api.GET('/v1/tokens')) });
const refetch = () => queryClient.invalidateQueries(tokensOptions);

export function Tokens() {
  const { data = [] } = useQuery(tokensOptions);
  const [isCreating, setCreating] = useState(false);
  return (
    <Section title={words.tokens} lead={words.tokensLead}>
      {data.length > 0 && (
        <ul className="mb-4">
          {data.map((token) => (
            <TokenRow key={token.id} token={token} />
          ))}
        </ul>
      )}
      <Button icon="key" onClick={() => setCreating(true)}>
        {words.tokenNew}
      </Button>
      {isCreating && <NewToken onClose={() => setCreating(false)} />}
    </Section>
  );
}

function TokenRow({ token }: { readonly token: AccessToken }) {
  const zone = useZone();
  const name = token.name ?? words.tokenUnnamed;
  const { mutate } = useMutation({
    mutationFn: () => unwrap(api.DELETE('/v1/tokens/{token_id}', { params: { path: { token_id: token.id } } })),
    onSuccess: () => {
      showToast(words.tokenRevoked);
      return refetch();
    },
    onError: (error) => showToast(problemText(error)),
  });
  const used = token.last_used_at
    ? words.tokenUsed(formatMoment(token.last_used_at, zone, Date.now()))
    : words.tokenUnused;
  return (
    <li className="flex items-center justify-between gap-4 border-b border-line py-2">
      <div className="min-w-0">
        <p className="font-medium">
          {name} {!token.client && <code className="font-mono text-sm text-soft">{token.prefix}…</code>}
        </p>
        <p className="text-sm text-soft">
          {token.client && `${words.tokenClient(token.client.host)} · `}
          {token.scopes.map((scope) => words.scopes[scope]).join(', ')} · {used}
        </p>
      </div>
      <IconButton icon="trash" label={words.tokenRevoke(name)} onClick={() => mutate()} />
    </li>
  );
}

type Scope = keyof typeof words.scopes;
const SCOPES = Object.keys(words.scopes) as Scope[];

function NewToken({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['tasks:read', 'tasks:write']);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/tokens', { body: { name: name.trim() || null, scopes: [...scopes] } })),
    onSuccess: refetch,
  });
  if (data) return <Minted minted={data} onClose={onClose} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Sheet title={words.tokenNew} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-5">
        <Field
          label={words.tokenName}
          placeholder={words.tokenNamePlaceholder}
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <fieldset>
          <legend className="mb-2 text-sm font-semibold">{words.tokenScopes}</legend>
          {SCOPES.map((scope) => (
            <label key={scope} className="flex min-h-10 items-center gap-3">
              <input
                type="checkbox"
                className="size-5"
                checked={scopes.includes(scope)}
                onChange={(event) =>
                  setScopes(event.target.checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
                }
              />
              {words.scopes[scope]}
            </label>
          ))}
        </fieldset>
        {error && <Note tone="danger">{problemText(error)}</Note>}
        <Button type="submit" variant="primary" busy={isPending} disabled={scopes.length === 0}>
          {words.tokenMake}
        </Button>
      </form>
    </Sheet>
  );
}

function Minted({ minted, onClose }: { readonly minted: MintedToken; readonly onClose: () => void }) {
  const [url, headers] = [`${location.origin}/mcp/all`, { Authorization: `Bearer ${minted.token}` }];
  const configuration = JSON.stringify({ mcpServers: { crescendo: { type: 'http', url, headers } } }, null, 2);
  const command = `claude mcp add --transport http crescendo ${url} --header "Authorization: Bearer ${minted.token}"`;
  const cursor = encodeURIComponent(btoa(JSON.stringify({ url, headers })));
  const vscode = encodeURIComponent(JSON.stringify({ name: 'crescendo', type: 'http', url, headers }));
  return (
    <Sheet title={minted.name ?? words.tokenUnnamed} onClose={onClose} closable={false}>
      <div className="mb-4">
        <Note tone="good">{words.tokenOnce}</Note>
      </div>
      <CopyBox label={words.tokenValue} text={minted.token} />
      <p className="mb-4 flex flex-wrap items-center gap-x-4 text-sm">
        <span className="font-semibold">{words.tokenInstall}</span>
        <InstallLink to={`cursor://anysphere.cursor-deeplink/mcp/install?name=crescendo&config=${cursor}`}>
          Cursor
        </InstallLink>
        <InstallLink to={`vscode:mcp/install?${vscode}`}>VS Code</InstallLink>
      </p>
      <CopyBox label="Claude Code" text={command} />
      <CopyBox label={words.tokenMcp} text={configuration} tall />
      <Button variant="primary" className="w-full" onClick={onClose}>
        {words.tokenCopied}
      </Button>
    </Sheet>
  );
}

/** Opens the program that is installed on this machine, which asks before it adds the server. */
function InstallLink({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <a href={to} className="inline-flex min-h-10 items-center underline">
      {children}
    </a>
  );
}
