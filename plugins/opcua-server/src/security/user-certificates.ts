import type { TrustList } from '@tagway/opcua-pki';
import type { StatusCode } from 'node-opcua-status-code';

/** The certificates with which users may log in, as the library asks for them: with a callback, as it asks no other list. */
export class UserCertificates {
  referenceCounter = 0;
  readonly #list: TrustList;

  constructor(list: TrustList) {
    this.#list = list;
  }

  initialize(): Promise<void> {
    return this.#list.initialize();
  }

  async dispose(): Promise<void> {
    // Nothing is held.
  }

  checkCertificate(certificate: Buffer, done: (error: Error | null, status?: StatusCode) => void): void {
    this.#list.checkCertificate(certificate).then(
      (status) => done(null, status),
      (error: unknown) => done(error as Error),
    );
  }
}
