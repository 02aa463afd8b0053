import { Link } from '@tanstack/react-router';
import { ladderStrings } from '../ladders/ladder-strings.ts';
import { Section } from '../ui/section.tsx';

const { page: words } = ladderStrings;

export const Ladders = () => (
  <Section title={words.title} lead={words.lead}>
    <Link
      to="/settings/ladders"
      className="inline-flex min-h-11 items-center gap-2 rounded-full border border-strong-line bg-card px-5 text-[0.95rem] hover:border-ink"
    >
      {words.open}
    </Link>
  </Section>
);
