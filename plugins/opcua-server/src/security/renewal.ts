import type { KeptCertificate } from '@tagway/opcua-pki';
import type { Clock, Log } from '@tagway/sdk';
import { invalidateServerCertificateCache, type OPCUAServer } from 'node-opcua-server';
import type { OwnKeyPair } from './own-certificate.ts';

/** Milliseconds between two looks at the end of the certificate. */
const interval = 3_600_000;

export interface RenewalOptions {
  readonly server: OPCUAServer;
  readonly keyPair: OwnKeyPair;
  /** The certificate that is good now: the one of before, or a new one. */
  readonly certificate: () => Promise<KeptCertificate>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Gives a server that runs for years a new certificate before the end of its own. Open connections stay. */
export class Renewal implements Disposable {
  readonly #options: RenewalOptions;
  #timer: Disposable | undefined;
  #isOver = false;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#wait();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
  }

  #wait(): void {
    if (!this.#isOver) this.#timer = this.#options.clock.timer(interval, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { certificate, keyPair, server, log } = this.#options;
    try {
      const kept = await certificate();
      const isNew = !kept.certificate.raw.equals(keyPair.getCertificate());
      if (isNew && !this.#isOver) {
        keyPair.replace(kept);
        invalidateServerCertificateCache(server);
      }
    } catch (error) {
      log.warn(
        `The certificate of the server could not be renewed, which is tried again in an hour: ${String(error)}`,
      );
    }
    this.#wait();
  }
}
