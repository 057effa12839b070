import type { RequestLog } from './app.ts';

/** Failures of one address that are told one by one; later ones are gathered. */
const toldEach = 5;
/** Milliseconds between lines about an address from then on, after which its failures are forgotten too. */
const pause = 3_600_000;
/** Addresses that are remembered; beyond it the oldest is forgotten. */
const most = 1000;

interface Record {
  failures: number;
  untold: number;
  /** When the latest line was, on a clock in milliseconds that never goes back. */
  toldAt: number;
}

/** Tells the log of logins that failed: the first of an address one by one, the rest by the hour. */
export class FailedLogins {
  readonly #log: Pick<RequestLog, 'warn'>;
  readonly #records = new Map<string, Record>();

  constructor(log: Pick<RequestLog, 'warn'>) {
    this.#log = log;
  }

  add(user: string, address: string): void {
    const now = performance.now();
    const known = this.#records.get(address);
    const record = known ?? { failures: 0, untold: 0, toldAt: now };
    if (known === undefined) this.#remember(address, record);
    record.failures++;
    if (record.failures > toldEach && now - record.toldAt < pause) {
      record.untold++;
      return;
    }
    const more =
      record.untold === 0 ? '' : ` ${record.untold} others from there failed since the last such line.`;
    const last =
      record.failures === toldEach ? ' From here on those of this address are told once an hour.' : '';
    this.#log.warn(
      {},
      `A login as "${user.slice(0, 100)}" from ${address} failed: the user name or the password is wrong.${more}${last}`,
    );
    record.untold = 0;
    record.toldAt = now;
  }

  #remember(address: string, record: Record): void {
    const [oldest] = this.#records.keys();
    if (this.#records.size >= most && oldest !== undefined) this.#records.delete(oldest);
    this.#records.set(address, record);
  }
}
