/** How many rows a table has, and a checksum over all of them in the order of their keys. */
export interface TableSum {
  readonly name: string;
  readonly rows: number;
  readonly checksum: string;
}

export const isEqualSum = (a: TableSum, b: TableSum): boolean =>
  a.name === b.name && a.rows === b.rows && a.checksum === b.checksum;
