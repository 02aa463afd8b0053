/** Writes zip files, also wrong ones. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFile {
  readonly name: string;
  readonly bytes: Buffer | string;
  /** What the directory claims, if that is not true. */
  readonly claimedSize?: number;
  readonly claimedPacked?: number;
  /** What other programs write beside the file: times, owners. */
  readonly extra?: string;
  readonly comment?: string;
  readonly isEncrypted?: boolean;
  readonly method?: number;
}

export function zipOf(...files: readonly ZipFile[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const bytes = Buffer.from(file.bytes);
    const { method = 8, claimedSize = bytes.length, isEncrypted = false } = file;
    const [extra, comment] = [Buffer.from(file.extra ?? ''), Buffer.from(file.comment ?? '')];
    const packed = method === 0 ? bytes : deflateRawSync(bytes);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(isEncrypted ? 1 : 0, 2);
    shared.writeUInt16LE(method, 4);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(file.claimedPacked ?? packed.length, 14);
    shared.writeUInt32LE(claimedSize, 18);
    shared.writeUInt16LE(name.length, 22);
    shared.writeUInt16LE(extra.length, 24);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, name, extra, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt16LE(comment.length, 0);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), shared, rest, name, extra, comment]));
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, listed, Buffer.from('PK\x05\x06'), end]);
}
