import { Link } from '@tanstack/react-router';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Icon } from '../ui/icons.tsx';
import { Section } from '../ui/section.tsx';

export function Reach() {
  return (
    <Section title={strings.unreached.title} lead={screenStrings.reach.lead} anchor="reach">
      <Link
        to="/settings/channels"
        className="inline-flex min-h-11 items-center gap-2 rounded-full border border-strong-line bg-card px-5 text-[0.95rem] hover:border-ink"
      >
        <Icon name="bell" className="size-4.5" />
        {screenStrings.reach.open}
      </Link>
    </Section>
  );
}
