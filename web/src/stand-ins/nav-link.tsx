/** The way to the tasks of others, in the navigation while there are some, or a question. */
import { Link } from '@tanstack/react-router';
import { Icon } from '../ui/icons.tsx';
import { useStandingIn } from './stand-in-queries.ts';
import { standInStrings } from './stand-in-strings.ts';

interface NavLinkProps {
  readonly className: string;
  readonly active: string;
  readonly inactive: string;
  readonly badge: string;
}

export function StandInsLink({ className, active, inactive, badge }: NavLinkProps) {
  const { questions, open, settled } = useStandingIn();
  const count = questions.length + open.length;
  if (count + settled.length === 0) return null;
  return (
    <li className="lg:mb-1">
      <Link
        to="/stand-ins"
        activeProps={{ 'aria-current': 'page', className: active }}
        inactiveProps={{ className: inactive }}
        className={className}
      >
        <Icon name="person" className="size-6 lg:size-5.5" />
        {standInStrings.nav}
        {count > 0 && (
          <span className={badge}>
            {count}
            <span className="sr-only"> {standInStrings.waiting}</span>
          </span>
        )}
      </Link>
    </li>
  );
}
