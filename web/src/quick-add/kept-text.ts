import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';
import { keepDraft, readDraft } from '../data/drafts.ts';
import { useSettings } from '../data/sync.ts';

/** Stores what is typed, and hands back what was typed before the field was left. */
export function useKeptText(
  name: string,
  text: string,
  setText: Dispatch<SetStateAction<string>>,
  onRestored: () => void,
): void {
  const userId = useSettings()?.id;
  const [isRead, setRead] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onRestored` is another function each time.
  useEffect(() => {
    if (userId === undefined) return;
    const kept = readDraft<string>(userId, name);
    if (kept) {
      setText((typed) => typed || kept);
      onRestored();
    }
    setRead(true);
  }, [userId, name]);
  useEffect(() => {
    if (isRead && userId !== undefined) keepDraft(userId, name, text || undefined);
  }, [isRead, userId, name, text]);
}
