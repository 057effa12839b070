import { AddressList, type Connected } from '@tagway/sdk/link';

export interface PermissionSettings {
  readonly writes: boolean;
  readonly write_addresses?: string;
  readonly write_names?: string;
}

/** Who may write. */
export class Permission {
  readonly #isOn: boolean;
  readonly #addresses: AddressList | undefined;
  readonly #names: ReadonlySet<string> | undefined;

  constructor({ writes, write_addresses = '', write_names = '' }: PermissionSettings) {
    this.#isOn = writes;
    this.#addresses = write_addresses.trim() === '' ? undefined : new AddressList(write_addresses);
    const names = write_names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    this.#names = names.length === 0 ? undefined : new Set(names);
  }

  /** Why this one may not: a clause; undefined: it may. Nobody is known on a serial line. */
  refusalOf(who: Connected | undefined): string | undefined {
    if (!this.#isOn) return 'the setting writes is off';
    if (who === undefined) return undefined;
    const { address, name } = who;
    if (this.#addresses?.has(address) === false) return 'its address is not in the setting write_addresses';
    if (this.#names !== undefined && (name === undefined || !this.#names.has(name)))
      return `the name of its certificate, "${name ?? ''}", is not in the setting write_names`;
    return undefined;
  }
}
