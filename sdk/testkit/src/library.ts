import { expect } from 'chai';
import { validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import { Attribute, DataType, ErrorCode, type Fault } from '@tagway/sdk';
import { isDriver } from '@tagway/sdk/internal';
import { definitionOf } from './context.ts';
import { settingsOf } from './settings.ts';

interface Manifest {
  readonly tags: { readonly addresses: readonly { readonly type: number; readonly pattern: string }[] };
}

/** The codes with which a check of tags may refuse an address. */
const ownCodes: readonly number[] = [ErrorCode.TAG_ADDRESS_INVALID, ErrorCode.TAG_TYPE_UNSUPPORTED];

/** The library of a driver: the plugin, its manifest and its settings schema. */
export class Library<Settings> {
  readonly definition;
  readonly #plugin: object;
  readonly #manifest: Manifest;
  readonly #schema: object;

  constructor(plugin: object, manifest: Manifest, schema: object) {
    this.definition = definitionOf<Settings>(plugin);
    this.#plugin = plugin;
    this.#manifest = manifest;
    this.#schema = schema;
  }

  expectValid(): void {
    expect(isDriver(this.#plugin)).to.equal(true);
    expect(validateManifest(this.#manifest)).to.equal(undefined);
    expect(validateSettingsSchema(this.#schema)).to.equal(undefined);
  }

  /** The settings with their defaults, or undefined when the schema refuses them. */
  settings(params: object): Settings | undefined {
    return settingsOf(this.#schema, params) as Settings | undefined;
  }

  /** The schema accepts these settings, and refuses them with any one of the changes. */
  expectRefused(params: object, changes: readonly object[]): void {
    expect(this.settings(params)).to.not.equal(undefined);
    for (const change of changes)
      expect(this.settings({ ...params, ...change }), JSON.stringify(change)).to.equal(undefined);
  }

  /** The schema refuses these settings when any one of them is left out. */
  expectAllRequired(params: object): void {
    this.expectRefused(
      params,
      Object.keys(params).map((name) => ({ [name]: undefined })),
    );
  }

  /** Wrong settings of a serial port and of TCP are refused, such as mark and space parity where the platform does not have them. */
  expectLinkSettings(serial: object, tcp: object): void {
    this.expectRefused(serial, [
      ...[{ device: '' }, { stop: 2 }, { parity: 5 }, { baud: 13 }, { data: 4 }],
      ...[{ device: undefined }, { baud: undefined }],
    ]);
    this.expectRefused(tcp, [{ host: 'plant' }, { port: 0 }, { connection_mode: 2 }, { host: undefined }]);
    const codeOf = (params: object): number | undefined =>
      this.definition.checkSettings?.(params as Settings)?.code;
    for (const parity of [0, 1, 2, 3, 4]) {
      const isMissing = parity > 2 && process.platform !== 'win32';
      expect(codeOf({ ...serial, parity }), `parity ${parity}`).to.equal(
        isMissing ? ErrorCode.NODE_SETTING_INVALID : undefined,
      );
    }
    expect(codeOf({ ...tcp, parity: 3 })).to.equal(undefined);
  }

  /** Whether a pattern of the manifest matches. */
  matches(type: DataType, address: string): boolean {
    return this.#manifest.tags.addresses.some(
      (entry) => entry.type === type && new RegExp(entry.pattern, 'u').test(address),
    );
  }

  check(type: DataType, address: string): Fault | undefined {
    return this.definition.checkTag({ name: 'tag', address, type, attribute: Attribute.READ });
  }

  /**
   * Checks the addresses with every type: where the patterns and the check disagree or the check refuses with an unexpected code, and how many
   * tags the check accepts. `beyondPatterns` says what the check alone may refuse, such as a number above a limit.
   */
  compare(
    addresses: readonly string[],
    beyondPatterns: (type: DataType, address: string, fault: Fault) => boolean = () => false,
  ): { readonly differences: readonly string[]; readonly accepted: number } {
    const differences: string[] = [];
    let accepted = 0;
    for (const address of addresses)
      for (const type of Object.values(DataType)) {
        const fault = this.check(type, address);
        if (fault === undefined) accepted++;
        const isExpected =
          fault === undefined
            ? this.matches(type, address)
            : ownCodes.includes(fault.code) &&
              (!this.matches(type, address) || beyondPatterns(type, address, fault));
        if (!isExpected) differences.push(`${address} of type ${type}`);
      }
    return { differences, accepted };
  }
}
