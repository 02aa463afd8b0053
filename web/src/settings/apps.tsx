import { Link } from '@tanstack/react-router';
import { Section } from '../ui/section.tsx';
import { appsStrings as words } from './apps-strings.ts';

export const Apps = () => (
  <Section title={words.title} lead={words.lead}>
    <Link
      to="/settings/apps"
      className="inline-flex min-h-11 items-center gap-2 rounded-full border border-strong-line bg-card px-5 text-[0.95rem] hover:border-ink"
    >
      {words.open}
    </Link>
  </Section>
);
