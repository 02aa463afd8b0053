/** Loaded only where nobody administers the service yet. */
import type { ReactNode } from 'react';
import { ClaimForm } from '../claim/claim-form.tsx';
import { claimStrings as words } from '../claim-strings.ts';
import { Button } from '../ui/button.tsx';

interface ClaimStepProps {
  readonly onDone: () => void;
  readonly frame: (title: string, step: ReactNode) => ReactNode;
}

export const ClaimStep = ({ onDone, frame }: ClaimStepProps) =>
  frame(
    words.title,
    <>
      <p className="mt-1 mb-4">{words.lead}</p>
      <ClaimForm onClaimed={onDone}>
        <Button variant="plain" onClick={onDone}>
          {words.later}
        </Button>
      </ClaimForm>
    </>,
  );
