import { AddressList, type Connected } from '@tagway/sdk/link';
import type { Settings } from '../settings.ts';

/** Who may command. */
export class Permission {
  readonly #isOn: boolean;
  readonly #addresses: AddressList | undefined;
  readonly #names: ReadonlySet<string> | undefined;

  constructor({ commands, command_addresses = '', command_names = '' }: Readonly<Settings>) {
    this.#isOn = commands;
    this.#addresses = command_addresses.trim() === '' ? undefined : new AddressList(command_addresses);
    const names = command_names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    this.#names = names.length === 0 ? undefined : new Set(names);
  }

  /** Why this one may not: a clause; undefined: it may. */
  refusalOf({ address, name }: Connected): string | undefined {
    if (!this.#isOn) return 'the setting commands is off';
    if (this.#addresses?.has(address) === false) return 'its address is not in the setting command_addresses';
    if (this.#names !== undefined && (name === undefined || !this.#names.has(name)))
      return `the name of its certificate, "${name ?? ''}", is not in the setting command_names`;
    return undefined;
  }
}
