/** The address that an account signs in with, and changing it by a code that is mailed to the new one. */
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, type Settings, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { mergeSettings } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';

const { address: words } = screenStrings.settings;

export function Address({ settings: { email } }: { readonly settings: Settings }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title={words.title}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 break-words text-soft">{email ?? words.none}</p>
        <Button icon="edit" onClick={() => setOpen(true)}>
          {email === null ? words.add : words.change}
        </Button>
      </div>
      {isOpen && <ChangeAddress isFirst={email === null} onClose={() => setOpen(false)} />}
    </Section>
  );
}

interface ChangeAddressProps {
  readonly isFirst: boolean;
  readonly onClose: () => void;
}

function ChangeAddress({ isFirst, onClose }: ChangeAddressProps) {
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const request = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/me/address/request', { body: { email } })),
  });
  const confirm = useMutation({
    mutationFn: async () => {
      await unwrap(api.POST('/v1/me/address', { body: { email, code } }));
      return unwrap(api.GET('/v1/me'));
    },
    onSuccess: (settings) => {
      mergeSettings(settings);
      showToast(words.changed(settings.email ?? ''));
      onClose();
    },
  });
  const isSent = request.isSuccess;
  const step = isSent ? confirm : request;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    step.mutate();
  };
  const problem = step.error ? problemText(step.error) : undefined;
  return (
    <Sheet title={isFirst ? words.add : words.change} onClose={onClose}>
      <p className="mb-4 text-soft">{isSent ? words.sent(email) : isFirst ? words.leadFirst : words.lead}</p>
      <form onSubmit={submit} className="grid gap-4">
        {isSent ? (
          <Field
            key="code"
            label={words.code}
            autoComplete="one-time-code"
            inputMode="numeric"
            maxLength={32}
            required
            autoFocus
            value={code}
            problem={problem}
            onChange={(event) => setCode(event.target.value)}
          />
        ) : (
          <Field
            key="email"
            label={words.field}
            type="email"
            autoComplete="email"
            autoCapitalize="none"
            maxLength={320}
            required
            autoFocus
            value={email}
            problem={problem}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={isSent ? () => request.reset() : onClose}>{isSent ? words.other : strings.cancel}</Button>
          <Button type="submit" variant="primary" busy={step.isPending}>
            {isSent ? words.change : words.send}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
