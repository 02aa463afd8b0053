export const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
