/** Requests that wait for an answer, with the names of the people in them, and whether messages about requests come. */
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Task } from '../api/client.ts';

interface PendingRequest {
  readonly task_id: string;
  readonly direction: 'to_me' | 'from_me';
  readonly person_id: string;
  readonly person_name: string | null;
  /** How often the person who was asked got a message about it. */
  readonly messages_sent: number;
  readonly next_message_at: string | null;
  /** No more messages are sent. */
  readonly unanswered: boolean;
}

export const requestsOptions = queryOptions({
  queryKey: ['requests'],
  queryFn: () => call<readonly PendingRequest[]>('GET', '/v1/requests'),
  staleTime: 0,
});

/** Takes the request back and makes the same task for another member, or for the caller. */
export const askOther = (taskId: string, ownerId: string) =>
  call<Task>('POST', `/v1/tasks/${taskId}/ask`, { owner_id: ownerId });

const MESSAGES = '/v1/me/request-messages';

export const requestMessagesOptions = queryOptions({
  queryKey: ['request-messages'],
  queryFn: () => call<{ readonly enabled: boolean }>('GET', MESSAGES),
});

export const setRequestMessages = (enabled: boolean) => call('PUT', MESSAGES, { enabled });
