import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { queryClient } from '../data/query-client.ts';
import { useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatDate, formatTime } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { Field, Note } from '../ui/field.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';

const { settings: words } = screenStrings;

const factorOptions = queryOptions({
  queryKey: ['second-factor'],
  queryFn: () => unwrap(api.GET('/v1/auth/mfa')),
});
const refetch = () => queryClient.invalidateQueries(factorOptions);

const resetOptions = queryOptions({
  queryKey: ['second-factor', 'reset'],
  queryFn: () => unwrap(api.GET('/v1/me/second-factor-reset')),
});

type Dialog = 'on' | 'off' | undefined;

export function SecondFactor() {
  const { data } = useQuery(factorOptions);
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => {
    setDialog(undefined);
    void refetch();
  };
  return (
    <Section
      title={words.factor}
      lead={data?.enabled ? words.factorOn(data.recovery_codes_remaining) : words.factorOff}
    >
      {data && (
        <Button icon="shield" onClick={() => setDialog(data.enabled ? 'off' : 'on')}>
          {data.enabled ? words.factorStop : words.factorStart}
        </Button>
      )}
      {data?.enabled && <PendingReset />}
      {dialog === 'on' && <Enrol onClose={close} />}
      {dialog === 'off' && <TurnOff onClose={close} />}
    </Section>
  );
}

/** Shown while an administrator's request to turn the second factor off waits. */
function PendingReset() {
  const zone = useZone();
  const { data } = useQuery(resetOptions);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => unwrap(api.DELETE('/v1/me/second-factor-reset')),
    onSuccess: () => showToast(words.factorKept),
    onSettled: refetch,
  });
  if (!data?.reset) return null;
  const { due_at } = data.reset;
  return (
    <div className="mt-4 grid justify-items-start gap-3">
      <Note tone="danger">{words.factorReset(formatDate(due_at, zone), formatTime(due_at, zone))}</Note>
      {error && <Note tone="danger">{problemText(error)}</Note>}
      <Button variant="primary" icon="shield" busy={isPending} onClick={() => mutate()}>
        {words.factorKeep}
      </Button>
    </div>
  );
}

function Enrol({ onClose }: { readonly onClose: () => void }) {
  const { data, error } = useQuery({
    queryKey: ['second-factor', 'enrolment'],
    queryFn: () => unwrap(api.POST('/v1/auth/mfa/enroll')),
    // A secret: requested again each time, and never saved.
    meta: { secret: true },
    gcTime: 0,
    // Every request makes a new secret, so no refresh may repeat it while a person scans this one.
    staleTime: 'static',
    refetchOnWindowFocus: false,
    retry: false,
  });
  const confirm = useMutation({
    mutationFn: (code: string) => unwrap(api.POST('/v1/auth/mfa/enroll/confirm', { body: { code } })),
  });
  if (confirm.data) return <RecoveryCodes codes={confirm.data.recovery_codes} onClose={onClose} />;
  return (
    <Sheet title={words.factor} onClose={onClose}>
      <p className="mb-4">{words.factorScan}</p>
      {error && <Note tone="danger">{problemText(error)}</Note>}
      <div className="mx-auto mb-3 aspect-square w-52">
        {data ? <QrCode text={data.otpauth_uri} label={words.factorQr} /> : <div className="skeleton size-full" />}
      </div>
      <p className="mb-5 min-h-12 text-center text-sm text-soft">
        {words.factorSecret} <code className="font-mono text-ink">{data?.secret}</code>
      </p>
      <CodeForm
        label={words.factorCode}
        button={words.factorConfirm}
        error={confirm.error}
        busy={confirm.isPending}
        onCode={(code) => confirm.mutate(code)}
      />
    </Sheet>
  );
}

function RecoveryCodes({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }) {
  return (
    <Sheet title={words.recovery} onClose={onClose} closable={false}>
      <div className="print-sheet">
        <p className="print-only text-xl">
          {strings.name}: {words.recovery}
        </p>
        <p className="mb-4">{words.recoveryLead}</p>
        <ol className="mb-5 grid gap-x-6 sm:grid-cols-2 gap-y-2 rounded-xl bg-sunk p-4 font-mono">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button icon="print" onClick={() => print()}>
          {words.print}
        </Button>
        <Button variant="primary" onClick={onClose}>
          {words.recoverySaved}
        </Button>
      </div>
    </Sheet>
  );
}

function TurnOff({ onClose }: { readonly onClose: () => void }) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: (code: string) => unwrap(api.POST('/v1/auth/mfa/disable', { body: { code } })),
    onSuccess: onClose,
  });
  return (
    <Sheet title={words.factorStop} onClose={onClose}>
      <p className="mb-4 text-soft">{words.factorStopLead}</p>
      <CodeForm
        label={strings.signIn.factor}
        hasLetters
        button={words.factorStop}
        error={error}
        busy={isPending}
        onCode={mutate}
      />
    </Sheet>
  );
}

interface CodeFormProps {
  readonly label: string;
  /** A recovery code has letters, which a keypad of numbers cannot type. */
  readonly hasLetters?: boolean;
  readonly button: string;
  readonly error: Error | null;
  readonly busy: boolean;
  readonly onCode: (code: string) => void;
}

function CodeForm({ label, hasLetters = false, button, error, busy, onCode }: CodeFormProps) {
  const [code, setCode] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onCode(code.trim());
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field
        label={label}
        autoComplete="one-time-code"
        inputMode={hasLetters ? 'text' : 'numeric'}
        autoCapitalize="none"
        maxLength={32}
        required
        value={code}
        problem={error ? problemText(error) : undefined}
        onChange={(event) => setCode(event.target.value)}
      />
      <Button type="submit" variant="primary" busy={busy}>
        {button}
      </Button>
    </form>
  );
}
