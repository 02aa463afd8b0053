import { Link } from '@tanstack/react-router';
import { strings } from '../strings.ts';
import { Icon } from '../ui/icons.tsx';
import { Section } from '../ui/section.tsx';

export function Reach() {
  return (
    <Section title={strings.reach.title} lead={strings.reach.lead} anchor="reach">
      <Link
        to="/settings/channels"
        className="inline-flex min-h-11 items-center gap-2 rounded-full border border-strong-line bg-card px-5 text-[0.95rem] hover:border-ink"
      >
        <Icon name="bell" className="size-4.5" />
        {strings.reach.open}
      </Link>
    </Section>
  );
}
