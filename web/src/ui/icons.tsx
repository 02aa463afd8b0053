/** Line icons on a 24 × 24 grid, part of the code so that none is fetched. Screen readers ignore them. */
const PATHS = {
  today:
    'M4 7.5A2.5 2.5 0 0 1 6.5 5h11A2.5 2.5 0 0 1 20 7.5v10a2.5 2.5 0 0 1-2.5 2.5h-11A2.5 2.5 0 0 1 4 17.5zM4 10h16M8.5 3v4M15.5 3v4M9 15l2 2 4-4',
  spaces:
    'M9 11a3.25 3.25 0 1 0 0-6.5A3.25 3.25 0 0 0 9 11zM3 19.5c0-3 2.7-5 6-5s6 2 6 5M16 4.8a3.25 3.25 0 0 1 0 6M17.5 14.9c2.1.6 3.5 2.2 3.5 4.6',
  history: 'M4 19.5h16M6.5 16v-4M11 16V8M15.500 16v-6M20 16V5',
  settings: 'M5 7h8M17 7h2M5 12h2M11 12h8M5 17h6M15 17h4M15 5v4M9 10v4M13 15v4',
  done: 'M5 12.5l4.5 4.5L19 7.5',
  snooze: 'M12 21a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 9v4l2.500 2.500M4.500 4.500l2-1.500M19.500 4.500l-2-1.500',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  back: 'M15 5l-7 7 7 7',
  repeat: 'M4.500 11V9.500a3 3 0 0 1 3-3H19M16 3.500l3 3-3 3M19.500 13v1.500a3 3 0 0 1-3 3H5M8 20.500l-3-3 3-3',
  bell: 'M6 16.500V11a6 6 0 1 1 12 0v5.500l1.500 1.500h-15zM10 20.500a2.200 2.200 0 0 0 4 0',
  shield: 'M12 3.500l7 2.500v5.500c0 4.200-2.900 7.300-7 9-4.100-1.700-7-4.800-7-9V6z',
  person:
    'M12 11.500a3.750 3.750 0 1 0 0-7.500 3.750 3.750 0 0 0 0 7.500zM4.500 20c.4-3.600 3.500-5.500 7.500-5.500s7.100 1.900 7.500 5.500',
  pause: 'M8.500 5v14M15.500 5v14',
  copy: 'M9 9h9.500v10.500H9zM6 15H5.500V4.500H15V6',
  edit: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  offline:
    'M3 3l18 18M8.500 16.500a5 5 0 0 1 5.800-.900M5 13a10 10 0 0 1 4.300-2.600M19 13a10 10 0 0 0-5-2.800M12 20h.01',
  skip: 'M5 5l9 7-9 7zM18.500 5v14',
  trash: 'M5 7h14M9.500 7V4.500h5V7M7 7l.8 12.500h8.400L17 7M10.500 11v5M13.500 11v5',
  arrow: 'M9 5l7 7-7 7',
  leave: 'M10 5H5.500v14H10M14 8l4 4-4 4M18 12H9',
  key: 'M14.500 4.500a5 5 0 1 1-4.600 7L4.500 17v2.500H8V17h2.500v-2.500l1.400-1.400M15.500 8.500h.01',
  search: 'M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM15.300 15.300L20 20',
  filter: 'M4 6.500h16M7 12h10M10 17.500h4',
  select: 'M4 6l1.500 1.500L8.500 4.500M4 13l1.500 1.500 3-3M12 6h8M12 13h8M12 20h8M4 20l1.500 1.500 3-3',
  label: 'M4 12.500V5.500A1.500 1.500 0 0 1 5.500 4h7L20 11.500 11.500 20zM8.500 8.500h.01',
  print: 'M7 9V4.500h10V9M7 16H4.500V9h15v7H17M7.500 13.500h9v6h-9z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, className = 'size-5' }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      className={`shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The name with a hairpin, the musical sign for a crescendo. */
export function Wordmark({ className = 'text-2xl' }: { readonly className?: string }) {
  return (
    <span className={`font-serif font-semibold tracking-tight ${className}`}>
      Crescendo
      <svg viewBox="0 0 30 14" className="ml-1.5 inline-block h-[0.52em] w-auto" aria-hidden="true">
        <path d="M29 1L1 7l28 6" fill="none" stroke="var(--color-ember)" strokeWidth="2.2" strokeLinecap="round" />
      </svg>
    </span>
  );
}
