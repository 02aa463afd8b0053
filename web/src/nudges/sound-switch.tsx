import { useState } from 'react';
import { useStore } from '../data/store.ts';
import { screenStrings } from '../screen-strings.ts';
import { Note, Switch } from '../ui/field.tsx';
import { allowSound, isSoundAllowed, playSound } from './sound.ts';

const { nudges: words } = screenStrings;

/** Turning it on plays the sound, so the person hears what will come, or reads that this browser lets nothing sound. */
export function SoundSwitch() {
  const isAllowed = useStore(isSoundAllowed);
  const [isRefused, setRefused] = useState(false);
  const change = async (isOn: boolean) => {
    allowSound(isOn);
    setRefused(isOn && !(await playSound()));
  };
  return (
    <div className="mt-4">
      <Switch label={words.sound} hint={words.soundHint} checked={isAllowed} onChange={(isOn) => void change(isOn)} />
      {isRefused && <Note tone="danger">{words.soundTryRefused}</Note>}
    </div>
  );
}
