/** Only where nobody administers the service yet; elsewhere the first run goes on at once. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { ClaimForm } from '../claim/claim-form.tsx';
import { ownSessionOptions } from '../data/own-session.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';

const { claim: words } = screenStrings;

interface ClaimStepProps {
  readonly onDone: () => void;
  /** Called once it is known that the step is shown. */
  readonly frame: (step: ReactNode) => ReactNode;
}

export function ClaimStep({ onDone, frame }: ClaimStepProps) {
  const { data, isError } = useQuery(ownSessionOptions);
  const isOver = isError || data?.can_claim === false;
  useEffect(() => {
    if (isOver) onDone();
  }, [isOver, onDone]);
  if (!data?.can_claim) return null;
  return frame(
    <>
      <p className="mt-1 mb-4">{words.lead}</p>
      <ClaimForm onClaimed={onDone}>
        <Button variant="plain" onClick={onDone}>
          {words.later}
        </Button>
      </ClaimForm>
    </>,
  );
}
