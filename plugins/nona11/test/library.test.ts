import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Library } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const library = new Library<Settings>(plugin, manifest, schema);
const short = { connection_mode: 0, host: '127.0.0.1', port: 502, site: 1 };

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    library.expectValid();
    expect([manifest.id, manifest.name]).to.deep.equal(['nona11', 'NON A11']);
    expect(manifest.features, 'writes of several tags at once are not offered').to.deep.equal(['listens']);
  });

  it('says wherever people look that its framing is assumed', () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    for (const text of [schema.description, manifest.description.en, readme])
      expect(text).to.contain('assumed, not verified with a device');
  });

  it('needs four settings, fills in the rest and refuses what is out of range', () => {
    expect(library.settings(short)).to.include({ ...short, timeout: 3000, interval: 20 });
    library.expectRefused(short, [
      { connection_mode: 2 },
      { host: 'plant' },
      { port: 0 },
      { site: 256 },
      { site: -1 },
      { timeout: 999 },
      { interval: 3001 },
    ]);
    library.expectAllRequired(short);
  });

  it('has patterns that let through whatever the check takes', () => {
    const places = ['', '1!', '255!', '256!', '99999!', '100000!'].flatMap((site) =>
      ['1!0', '127!65535', '128!0', '3!', '3!0.4', '3!0.0', '3!0.99999', '3!100000'].map(
        (rest) => site + rest,
      ),
    );
    // The patterns leave the limits of the assumed frame to the check.
    const { differences, accepted } = library.compare(places, (_type, _address, fault) =>
      fault.message.includes('assumed frame'),
    );
    expect(differences).to.deep.equal([]);
    expect(accepted).to.be.above(30);
  });
});
