import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { Library } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const library = new Library<Settings>(plugin, manifest, schema);
const short = { host: '192.168.0.10', port: 102, rack: 0, slot: 1 };

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    library.expectValid();
    expect(manifest).to.include({ id: 's7comm', name: 'Siemens S7 ISOTCP' });
    expect(manifest.aliases.names).to.include('Siemens S7 ISOTCP for 300/400');
    expect(manifest.aliases.ids).to.include('s7comm_for_300');
  });

  it('needs host, port, rack and slot, and fills in the rest', () => {
    expect(library.settings(short)).to.deep.equal({
      ...short,
      connection_type: 1,
      timeout: 3000,
      pdu_size: 960,
      max_in_flight: 8,
      local_tsap: '',
      remote_tsap: '',
    });
    expect(library.settings({ ...short, host: 'plc-7.plant', remote_tsap: '4D.57' })).to.not.equal(undefined);
    library.expectAllRequired(short);
  });

  it('refuses settings out of range', () => {
    const wrong = [
      { host: '' },
      { host: 'a b' },
      { port: 0 },
      { rack: 8 },
      { slot: 32 },
      { connection_type: 4 },
      { timeout: 999 },
      { pdu_size: 239 },
      { pdu_size: 961 },
      { max_in_flight: 0 },
      { remote_tsap: '1000' },
    ];
    library.expectRefused(short, wrong);
  });

  it('has patterns that let through what the check accepts, and agree with it on forms', () => {
    const places = [
      'I1',
      'O1',
      'Q1',
      'F1',
      'M1',
      'T1',
      'C1',
      'DB1.DBW1',
      'V1',
      'DB1.DBX1',
      'M',
      'M123456',
      '',
    ];
    const suffixes = ['', '.0', '.7', '.8', '.20', '.254', '.20D', '.999', '.1000', 'D', '.', '.1.1'];
    const addresses = places.flatMap((place) => suffixes.map((suffix) => place + suffix));
    // Lengths beyond the limit have the form, and are refused by the check with a sentence.
    const { differences, accepted } = library.compare(
      addresses,
      (type, address) => type === DataType.STRING && /\.(?:999|1000)$/.test(address),
    );
    expect(differences).to.deep.equal([]);
    expect(accepted).to.be.above(50);
  });
});
