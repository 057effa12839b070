import type { X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type StatusCode, StatusCodes } from 'node-opcua-status-code';
import type { CertificatePlace } from '@tagway/sdk';
import { base64Of, writeWhole } from './file.ts';
import { certificateOf } from './x509.ts';

/** Rejected certificates that are kept; the oldest go first. */
const mostRejected = 20;

export interface TrustListOptions {
  /** Its subfolders are `trusted`, for people to put certificates into, and `rejected`, for them to take from. */
  readonly folder: string;
  /** Accept any certificate. */
  readonly any: boolean;
  /** Base64 of a certificate that is trusted besides those in the folder; may be empty. */
  readonly pinned?: string;
  /** Whose certificates these are, for people, such as "The server's". */
  readonly whose: string;
  /** Ends the sentence that says how to trust one, such as "give it as a setting". */
  readonly otherwise?: string;
  now(): number;
  /** Called with the reason of each refusal, in a sentence. */
  refused?(reason: string): void;
}

/**
 * Decides whether a certificate is trusted: it, or the authority that signed it, is in the folder `trusted`, which is
 * read each time. It stands in for the library's own certificate store, whose interface it has.
 */
export class TrustList {
  /** Counts the clients and servers that use it; the library's business. */
  referenceCounter = 0;
  /** Why the latest certificate was refused, in a sentence; undefined when it was not. */
  refusal: string | undefined;
  readonly #options: TrustListOptions;

  constructor(options: TrustListOptions) {
    this.#options = options;
  }

  get #trusted(): string {
    return join(this.#options.folder, 'trusted');
  }

  get #rejected(): string {
    return join(this.#options.folder, 'rejected');
  }

  async initialize(): Promise<void> {
    mkdirSync(this.#trusted, { recursive: true });
    mkdirSync(this.#rejected, { recursive: true });
  }

  async dispose(): Promise<void> {
    // Nothing is held.
  }

  async checkCertificate(certificate: Buffer | Buffer[]): Promise<StatusCode> {
    this.refusal = undefined;
    if (this.#options.any) return StatusCodes.Good;
    const chain = parseChain(certificate);
    const [first] = chain;
    const { whose, otherwise } = this.#options;
    if (first === undefined) {
      return this.#refuse(StatusCodes.BadCertificateInvalid, `${whose} certificate cannot be parsed.`);
    }
    const isTrusted = isVouchedFor(chain, this.#list());
    const now = this.#options.now();
    if (now < first.validFromDate.getTime() || now > first.validToDate.getTime()) {
      return this.#refuse(
        StatusCodes.BadCertificateTimeInvalid,
        `${whose} certificate is valid from ${first.validFromDate.toISOString()} to ${first.validToDate.toISOString()}, ` +
          `and the clock of this gateway says ${new Date(now).toISOString()}. ` +
          'Renew the certificate, or set the clock that is wrong.',
      );
    }
    if (isTrusted) return StatusCodes.Good;
    const kept = this.#keep(first);
    return this.#refuse(
      StatusCodes.BadCertificateUntrusted,
      `${whose} certificate "${first.subject.replaceAll('\n', ', ')}" with the SHA-1 fingerprint ${first.fingerprint} is not trusted. ` +
        `Compare it with what the other side shows, then move ${kept} to ${this.#trusted}${otherwise === undefined ? '' : `, or ${otherwise}`}.`,
    );
  }

  /** The certificates in one of the folders, each once. */
  listed(place: 'trusted' | 'rejected'): X509Certificate[] {
    const files = filesIn(place === 'trusted' ? this.#trusted : this.#rejected);
    const found = files.map((file) => certificateOf(base64Of(file))).filter((one) => one !== undefined);
    return [...new Map(found.map((one) => [one.fingerprint256, one])).values()];
  }

  /**
   * Puts the certificate with a SHA-256 fingerprint, without colons, in the folder that it is to be in, and out of the other one. Undefined
   * when neither has it. It is written before it is deleted, so that a crash on the way loses none.
   */
  move(fingerprint: string, to: CertificatePlace): X509Certificate | undefined {
    const isIt = (one: X509Certificate | undefined): boolean =>
      one?.fingerprint256.replaceAll(':', '') === fingerprint;
    const held = [this.#trusted, this.#rejected]
      .flatMap(filesIn)
      .filter((file) => isIt(certificateOf(base64Of(file))));
    const certificate = held.map((file) => certificateOf(base64Of(file))).find(isIt);
    if (certificate === undefined) return undefined;
    const kept =
      to === 'deleted' ? undefined : fileOf(to === 'trusted' ? this.#trusted : this.#rejected, certificate);
    if (kept !== undefined) {
      mkdirSync(join(kept, '..'), { recursive: true });
      writeWhole(kept, certificate.raw);
    }
    for (const file of held) if (file !== kept) rmSync(file, { force: true });
    if (to === 'rejected') this.#forgetOldest();
    return certificate;
  }

  #refuse(status: StatusCode, reason: string): StatusCode {
    this.refusal = reason;
    this.#options.refused?.(reason);
    return status;
  }

  async getTrustStatus(certificate: Buffer | Buffer[]): Promise<StatusCode> {
    return this.#options.any || isVouchedFor(parseChain(certificate), this.#list())
      ? StatusCodes.Good
      : StatusCodes.BadCertificateUntrusted;
  }

  /** Asked about the gateway's own certificate, of which the library would only warn. */
  async verifyCertificate(): Promise<string> {
    return 'Good';
  }

  async trustCertificate(): Promise<void> {
    // Trust is for people to give.
  }

  async rejectCertificate(): Promise<void> {
    // Whatever is not trusted is rejected.
  }

  async addIssuer(): Promise<void> {
    // See trustCertificate.
  }

  async addRevocationList(): Promise<void> {
    // Revocation lists are not supported.
  }

  #list(): X509Certificate[] {
    const texts = filesIn(this.#trusted).map(base64Of);
    return [...texts, this.#options.pinned ?? ''].map(certificateOf).filter((one) => one !== undefined);
  }

  /** Keeps a rejected certificate where an operator can take it from, and returns its path. */
  #keep(certificate: X509Certificate): string {
    const path = fileOf(this.#rejected, certificate);
    try {
      mkdirSync(this.#rejected, { recursive: true });
      writeWhole(path, certificate.raw);
      this.#forgetOldest();
    } catch {
      // The refusal stands; it names the place where the file would be.
    }
    return path;
  }

  #forgetOldest(): void {
    const aged = filesIn(this.#rejected).map((file) => ({ file, time: statSync(file).mtimeMs }));
    aged.sort((one, other) => other.time - one.time);
    for (const { file } of aged.slice(mostRejected)) rmSync(file, { force: true });
  }
}

function fileOf(folder: string, { fingerprint }: X509Certificate): string {
  return join(folder, `${fingerprint.replaceAll(':', '')}.der`);
}

/** Paths of the files in a folder; none when it cannot be read. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

/** Whether a listed certificate is the first of the chain, or signed it directly or through others of the chain. */
function isVouchedFor(chain: readonly X509Certificate[], listed: readonly X509Certificate[]): boolean {
  let current = chain[0];
  for (let depth = 0; current !== undefined && depth < 5; depth++) {
    const { fingerprint256 } = current;
    if (listed.some((one) => one.fingerprint256 === fingerprint256)) return true;
    const subject: X509Certificate = current;
    const signed = (issuer: X509Certificate): boolean =>
      issuer.ca && subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
    if (listed.some(signed)) return true;
    current = chain.find((one) => one.fingerprint256 !== fingerprint256 && signed(one));
  }
  return false;
}

/** Certificates that follow each other in one buffer, or an array of them; those that cannot be parsed are left out. */
function parseChain(certificate: Buffer | Buffer[]): X509Certificate[] {
  const parts = Array.isArray(certificate) ? certificate : splitDer(certificate);
  return parts.map((part) => certificateOf(part.toString('base64'))).filter((one) => one !== undefined);
}

/** Each begins with a SEQUENCE whose length takes two bytes: 30 82 hi lo. */
function splitDer(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at + 4 <= bytes.length && parts.length < 10;) {
    if (bytes[at] !== 0x30 || bytes[at + 1] !== 0x82) break;
    const end = at + 4 + bytes.readUInt16BE(at + 2);
    parts.push(bytes.subarray(at, end));
    at = end;
  }
  return parts;
}
