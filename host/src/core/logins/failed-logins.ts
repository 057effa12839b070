import { BoundedMap } from '../system/bounded-map.ts';

/** Failures of one address that have a line each. */
const linesMost = 5;
/** Milliseconds between later lines about the address. */
const pause = 3_600_000;
/** Addresses whose failures are remembered. */
const addressesMost = 1000;

interface Record {
  failures: number;
  /** Since the latest line. */
  unlogged: number;
  /** When the latest line was, in milliseconds of a clock that never goes back. */
  loggedAt: number;
}

/** Logs failed logins: the first ones of an address one by one, the rest as one line an hour. */
export class FailedLogins {
  readonly #warn: (sentence: string) => void;
  readonly #records = new BoundedMap<string, Record>(addressesMost);

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  /** `user` as the log calls it. */
  add(user: string, address: string): void {
    const now = performance.now();
    const known = this.#records.get(address);
    const record = known ?? { failures: 0, unlogged: 0, loggedAt: now };
    if (known === undefined) this.#records.set(address, record);
    record.failures++;
    if (record.failures > linesMost && now - record.loggedAt < pause) {
      record.unlogged++;
      return;
    }
    const more =
      record.unlogged === 0 ? '' : ` ${record.unlogged} others from there failed since the last such line.`;
    const last =
      record.failures === linesMost ? ' Further ones from this address are logged once an hour.' : '';
    this.#warn(
      `A login as ${user} from ${address} failed: the user name or the password is wrong.${more}${last}`,
    );
    record.unlogged = 0;
    record.loggedAt = now;
  }
}
