import { useMutation, useQuery } from '@tanstack/react-query';
import { problemText } from '../api/problem.ts';
import { queryClient } from '../data/query-client.ts';
import { requestMessagesOptions, setRequestMessages } from '../data/requests.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Switch } from '../ui/field.tsx';

const { reach: words } = screenStrings;

/** The switch for messages about requests: being asked, and the answers to what one asked. */
export function RequestMessages() {
  const { data } = useQuery(requestMessagesOptions);
  const { mutate } = useMutation({
    mutationFn: setRequestMessages,
    onSuccess: () => showToast(strings.saved),
    onError: (error) => showToast(problemText(error)),
    onSettled: () => queryClient.invalidateQueries(requestMessagesOptions),
  });
  if (!data) return null;
  return (
    <section className="card mb-5 p-5 sm:p-6">
      <Switch label={words.requests} hint={words.requestsHint} checked={data.enabled} onChange={mutate} />
    </section>
  );
}
