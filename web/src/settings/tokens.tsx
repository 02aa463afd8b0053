import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type AccessToken, api, type MintedToken, read } from '../api/client.ts';
import { wordsOf } from '../api/problem.ts';
import { queryClient } from '../data/query-client.ts';
import { useZone } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { momentWords } from '../time/words.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyBox } from '../ui/copy.tsx';
import { Field, Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { say } from '../ui/toast.tsx';

const { settings: words } = strings;

const tokensOptions = queryOptions({ queryKey: ['tokens'], queryFn: () => read(api.GET('/v1/tokens')) });
const reread = () => queryClient.invalidateQueries(tokensOptions);

export function Tokens() {
  const { data = [] } = useQuery(tokensOptions);
  const [isMaking, setMaking] = useState(false);
  return (
    <Section title={words.tokens} lead={words.tokensLead}>
      {data.length > 0 && (
        <ul className="mb-4">
          {data.map((token) => (
            <TokenRow key={token.id} token={token} />
          ))}
        </ul>
      )}
      <Button icon="key" onClick={() => setMaking(true)}>
        {words.tokenNew}
      </Button>
      {isMaking && <NewToken onClose={() => setMaking(false)} />}
    </Section>
  );
}

function TokenRow({ token }: { readonly token: AccessToken }) {
  const zone = useZone();
  const name = token.name ?? words.tokenUnnamed;
  const { mutate } = useMutation({
    mutationFn: () => read(api.DELETE('/v1/tokens/{token_id}', { params: { path: { token_id: token.id } } })),
    onSuccess: () => {
      say(words.tokenRevoked);
      return reread();
    },
    onError: (error) => say(wordsOf(error)),
  });
  const used = token.last_used_at
    ? words.tokenUsed(momentWords(token.last_used_at, zone, Date.now()))
    : words.tokenUnused;
  return (
    <li className="flex items-center justify-between gap-4 border-b border-line py-2">
      <div className="min-w-0">
        <p className="font-medium">
          {name} <code className="font-mono text-sm text-soft">{token.prefix}…</code>
        </p>
        <p className="text-sm text-soft">
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
    mutationFn: () => read(api.POST('/v1/tokens', { body: { name: name.trim() || null, scopes: [...scopes] } })),
    onSuccess: reread,
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
        {error && <Note tone="danger">{wordsOf(error)}</Note>}
        <Button type="submit" look="primary" busy={isPending} disabled={scopes.length === 0}>
          {words.tokenMake}
        </Button>
      </form>
    </Sheet>
  );
}

function Minted({ minted, onClose }: { readonly minted: MintedToken; readonly onClose: () => void }) {
  const server = { type: 'http', url: `${location.origin}/mcp`, headers: { Authorization: `Bearer ${minted.token}` } };
  const configuration = JSON.stringify({ mcpServers: { crescendo: server } }, null, 2);
  return (
    <Sheet title={minted.name ?? words.tokenUnnamed} onClose={onClose} closable={false}>
      <div className="mb-4">
        <Note tone="good">{words.tokenOnce}</Note>
      </div>
      <CopyBox label={words.tokens} text={minted.token} />
      <CopyBox label={words.tokenMcp} text={configuration} tall />
      <Button look="primary" className="w-full" onClick={onClose}>
        {words.tokenKept}
      </Button>
    </Sheet>
  );
}
