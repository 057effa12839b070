import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { compileSettings, validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import { Attribute, DataType, ErrorCode } from '@tagway/sdk';
import { isDriver } from '@tagway/sdk/internal';
import { definitionOf } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const definition = definitionOf<Settings>(plugin);
const short = { connection_mode: 0, host: '127.0.0.1', port: 502, site: 1 };

function settingsOf(params: object): Record<string, unknown> | undefined {
  const result = compileSettings(schema)(params);
  return 'settings' in result ? result.settings : undefined;
}

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    expect(isDriver(plugin)).to.equal(true);
    expect(validateManifest(manifest)).to.equal(undefined);
    expect(validateSettingsSchema(schema)).to.equal(undefined);
    expect([manifest.id, manifest.name]).to.deep.equal(['nona11', 'NON A11']);
    expect(manifest, 'writes of several tags at once are not offered').to.not.have.property('features');
  });

  it('says wherever people look that its framing is assumed', () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    for (const text of [schema.description, manifest.description.en, readme])
      expect(text).to.contain('assumed, not verified with a device');
  });

  it('needs four settings, fills in the rest and refuses what is out of range', () => {
    expect(settingsOf(short)).to.include({ ...short, timeout: 3000, interval: 20 });
    for (const change of [
      { connection_mode: 2 },
      { host: 'plant' },
      { port: 0 },
      { site: 256 },
      { site: -1 },
      { timeout: 999 },
      { interval: 3001 },
    ])
      expect(settingsOf({ ...short, ...change }), JSON.stringify(change)).to.equal(undefined);
    for (const key of Object.keys(short))
      expect(settingsOf({ ...short, [key]: undefined }), `without ${key}`).to.equal(undefined);
  });

  it('has patterns that let through whatever the check takes', () => {
    const places = ['', '1!', '255!', '256!', '99999!', '100000!'].flatMap((site) =>
      ['1!0', '127!65535', '128!0', '3!', '3!0.4', '3!0.0', '3!0.99999', '3!100000'].map(
        (rest) => site + rest,
      ),
    );
    let good = 0;
    for (const address of places)
      for (const type of Object.values(DataType)) {
        const fault = definition.checkTag({ name: 'tag', address, type, attribute: Attribute.READ });
        const matches = manifest.tags.addresses.some(
          (entry) => entry.type === type && new RegExp(entry.pattern, 'u').test(address),
        );
        if (fault === undefined) {
          good++;
          expect(matches, `${address} of type ${type}`).to.equal(true);
          continue;
        }
        // The patterns leave the limits of the assumed frame to the check.
        const isLimit = fault.message.includes('assumed frame');
        expect(matches && !isLimit, `${address} of type ${type}`).to.equal(false);
        expect([ErrorCode.TAG_ADDRESS_INVALID, ErrorCode.TAG_TYPE_UNSUPPORTED] as number[]).to.include(
          fault.code,
        );
      }
    expect(good).to.be.above(30);
  });
});
