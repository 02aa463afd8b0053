import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** From here on, every connection of the process trusts these certificates as well. */
export function trustCertificates(certificates: readonly string[] | undefined): void {
  if (certificates) setDefaultCACertificates([...getCACertificates('default'), ...certificates]);
}
