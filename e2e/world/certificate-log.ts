import { createHash, sign, type KeyPairKeyObjectResult } from 'node:crypto';

/**
 * The log of certificates that sigstore's mock authority asks for a timestamp (RFC 6962, section 3.2). The mock has one itself, whose timestamps
 * have an empty signature with the libraries that are installed here.
 */
export class CertificateLog {
  readonly publicKey: Buffer;
  readonly logID: Buffer;
  readonly #keys: KeyPairKeyObjectResult;

  constructor(keys: KeyPairKeyObjectResult) {
    this.#keys = keys;
    this.publicKey = keys.publicKey.export({ type: 'spki', format: 'der' });
    this.logID = createHash('sha256').update(this.publicKey).digest();
  }

  /** The timestamp of a certificate that is about to be issued, after its length. */
  log(certificate: ArrayBuffer, issuerID: ArrayBuffer): Promise<ArrayBuffer> {
    const time = Buffer.alloc(8);
    time.writeBigInt64BE(BigInt(Date.now()));
    const tbs = firstIn(Buffer.from(certificate));
    const length = Buffer.alloc(3);
    length.writeUIntBE(tbs.length, 0, 3);
    const issuer = Buffer.from(issuerID);
    const signed = Buffer.concat([
      Buffer.of(0, 0),
      time,
      Buffer.of(0, 1),
      issuer,
      length,
      tbs,
      Buffer.of(0, 0),
    ]);
    const signature = sign('sha256', signed, this.#keys.privateKey);
    // No extensions; SHA-256 and ECDSA.
    const rest = Buffer.of(0, 0, 4, 3, signature.length >> 8, signature.length & 0xff);
    const timestamp = Buffer.concat([Buffer.of(0), this.logID, time, rest, signature]);
    const prefixed = Buffer.concat([Buffer.of(timestamp.length >> 8, timestamp.length & 0xff), timestamp]);
    return Promise.resolve(new Uint8Array(prefixed).buffer);
  }
}

/** The first element of a DER sequence, with its header: of a certificate, the part that is signed. */
function firstIn(sequence: Buffer): Buffer {
  const start = headerOf(sequence).length;
  const rest = sequence.subarray(start);
  const { length, content } = headerOf(rest);
  return rest.subarray(0, length + content);
}

function headerOf(der: Buffer): { readonly length: number; readonly content: number } {
  const first = der[1]!;
  if (first < 0x80) return { length: 2, content: first };
  const bytes = first & 0x7f;
  return { length: 2 + bytes, content: der.readUIntBE(2, bytes) };
}
