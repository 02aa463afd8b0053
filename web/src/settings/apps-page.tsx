/** Connecting an app by CalDAV: address, user name, a password that is made here and shown once, and steps per app. */
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { queryClient } from '../data/query-client.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import { CopyBox } from '../ui/copy-box.tsx';
import { Field, Note, Select, Switch } from '../ui/field.tsx';
import { LoadError, Page, Skeleton } from '../ui/page.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { Section } from '../ui/section.tsx';
import { appsStrings as words } from './apps-strings.ts';

const caldavOptions = queryOptions({ queryKey: ['caldav'], queryFn: () => unwrap(api.GET('/v1/caldav')) });

type Account = Awaited<ReturnType<NonNullable<typeof caldavOptions.queryFn>>>;

export function AppsPage() {
  const { data, error, refetch } = useQuery(caldavOptions);
  const { settings } = screenStrings;
  return (
    <Page title={words.title} lead={words.pageLead} back={{ to: '/settings', label: settings.title }}>
      {!data && (error ? <LoadError error={error} retry={() => void refetch()} /> : <Skeleton rows={4} tall />)}
      {data && <Address account={data} />}
      {data && <Steps />}
      {data && <Choices account={data} />}
    </Page>
  );
}

function Address({ account: { url, user_name } }: { readonly account: Account }) {
  const [name, setName] = useState('');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      unwrap(api.POST('/v1/tokens', { body: { name: name.trim() || null, scopes: ['tasks:read', 'tasks:write'] } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['tokens'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Section title={words.sectionAddress}>
      {url.startsWith('http:') && <Note>{words.plainHttp}</Note>}
      <CopyBox label={words.address} text={url} />
      <CopyBox label={words.userName} text={user_name} />
      {data ? (
        <Password url={url} userName={user_name} password={data.token} />
      ) : (
        <form onSubmit={submit} className="grid gap-4">
          <Field
            label={words.appName}
            placeholder={words.appNamePlaceholder}
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          {error && <Note tone="danger">{problemText(error)}</Note>}
          <Button type="submit" variant="primary" icon="key" busy={isPending}>
            {words.make}
          </Button>
        </form>
      )}
    </Section>
  );
}

interface PasswordProps {
  readonly url: string;
  readonly userName: string;
  readonly password: string;
}

function Password({ url, userName, password }: PasswordProps) {
  const login = `${encodeURIComponent(userName)}:${encodeURIComponent(password)}`;
  const code = url.replace(/^http(s?):\/\//, `caldav$1://${login}@`);
  return (
    <>
      <CopyBox label={words.password} text={password} />
      <p className="mb-4 text-soft">{words.once}</p>
      <div className="mb-3 size-48">
        <QrCode text={code} label={words.qr} />
      </div>
      <p className="text-sm text-soft">{words.qrLead}</p>
    </>
  );
}

const Steps = () => (
  <Section title={words.sectionApps}>
    <dl className="grid gap-4">
      {words.apps.map(([app, steps]) => (
        <div key={app}>
          <dt className="font-medium">{app}</dt>
          <dd className="text-soft">{steps}</dd>
        </div>
      ))}
    </dl>
  </Section>
);

type Choice = Pick<Account, 'high_is_must_not_miss' | 'alarm_minutes'>;

function Choices({ account }: { readonly account: Account }) {
  const { high_is_must_not_miss, alarm_minutes } = account;
  const { mutate } = useMutation({
    mutationFn: (choice: Choice) => unwrap(api.PUT('/v1/caldav', { body: choice })),
    onMutate: (choice) => queryClient.setQueryData(caldavOptions.queryKey, { ...account, ...choice }),
    onError: (error) => {
      queryClient.setQueryData(caldavOptions.queryKey, account);
      showToast(problemText(error));
    },
  });
  const chosen = { high_is_must_not_miss, alarm_minutes };
  return (
    <Section title={words.sectionChoices}>
      <div className="grid gap-5">
        <Switch
          label={words.high}
          hint={words.highHint}
          checked={high_is_must_not_miss}
          onChange={(isOn) => mutate({ ...chosen, high_is_must_not_miss: isOn })}
        />
        <Select
          label={words.alarm}
          hint={words.alarmHint}
          value={String(alarm_minutes ?? '')}
          onChange={({ target: { value } }) =>
            mutate({ ...chosen, alarm_minutes: value === '' ? null : Number(value) })
          }
        >
          {Object.entries(words.alarms).map(([minutes, name]) => (
            <option key={minutes} value={minutes}>
              {name}
            </option>
          ))}
        </Select>
      </div>
    </Section>
  );
}
