/** For actions that need a recent sign-in: leads through one and back to the settings, where the dialog opens again. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import { Sheet } from '../ui/sheet.tsx';

interface SignInAgainProps {
  readonly title: string;
  readonly lead: string;
  /** Belongs to this tab alone, and is set while the user signs in. */
  readonly returnKey: string;
  readonly onClose: () => void;
}

export function SignInAgain({ title, lead, returnKey, onClose }: SignInAgainProps) {
  const navigate = useNavigate();
  const leave = () => {
    sessionStorage.setItem(returnKey, '1');
    void navigate({ to: '/sign-in', search: { next: '/settings' } });
  };
  return (
    <Sheet title={title} onClose={onClose}>
      <p className="mb-5">{lead}</p>
      <Button variant="primary" onClick={leave}>
        {screenStrings.settings.signInAgain}
      </Button>
    </Sheet>
  );
}

/** True once, if the user has left by `SignInAgain`. */
export function useIsBack(returnKey: string): boolean {
  const [isBack] = useState(() => sessionStorage.getItem(returnKey) !== null);
  useEffect(() => sessionStorage.removeItem(returnKey), [returnKey]);
  return isBack;
}
