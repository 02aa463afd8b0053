import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ClaimForm } from '../claim/claim-form.tsx';
import { claimStrings } from '../claim-strings.ts';
import { ownSessionOptions } from '../data/own-session.ts';
import { screenStrings } from '../screen-strings.ts';
import { Icon } from '../ui/icons.tsx';
import { Section } from '../ui/section.tsx';

/** For administrators, and for the person who is about to be the first one. */
export function Admin() {
  const { data } = useQuery(ownSessionOptions);
  if (data?.can_claim) {
    return (
      <Section title={claimStrings.title} lead={claimStrings.lead}>
        <ClaimForm />
      </Section>
    );
  }
  if (!data?.is_admin) return null;
  return (
    <Section title={screenStrings.admin.title} lead={screenStrings.admin.lead}>
      <Link
        to="/settings/admin"
        className="inline-flex min-h-11 items-center gap-2 rounded-full border border-strong-line bg-card px-5 text-[0.95rem] hover:border-ink"
      >
        <Icon name="spaces" className="size-4.5" />
        {screenStrings.admin.open}
      </Link>
    </Section>
  );
}
