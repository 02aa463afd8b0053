import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icons.tsx';

const VARIANTS = {
  primary: 'bg-ember text-on-ember font-semibold hover:brightness-110 border-transparent',
  quiet: 'bg-card text-ink border-strong-line hover:border-ink',
  plain: 'text-soft border-transparent hover:text-ink hover:bg-sunk',
  danger: 'bg-card text-danger border-danger/60 hover:bg-danger-wash',
  good: 'bg-good text-paper border-transparent font-semibold hover:brightness-110',
};

interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: keyof typeof VARIANTS;
  readonly icon?: IconName;
  readonly busy?: boolean;
}

export function Button({ variant = 'quiet', icon, busy = false, className = '', children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      disabled={busy || rest.disabled}
      className={`inline-flex min-h-11 max-w-full shrink-0 items-center justify-center gap-2 rounded-[1.375rem] border px-5 py-2 text-center text-[0.95rem] wrap-anywhere transition disabled:opacity-55 ${VARIANTS[variant]} ${className}`}
    >
      {icon && <Icon name={icon} className="size-4.5" />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<'button'> {
  readonly icon: IconName;
  readonly label: string;
}

export function IconButton({ icon, label, className = '', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`grid size-11 shrink-0 place-items-center rounded-full text-soft transition hover:bg-sunk hover:text-ink ${className}`}
    >
      <Icon name={icon} />
    </button>
  );
}
