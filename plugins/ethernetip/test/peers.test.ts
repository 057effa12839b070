import { createRequire } from 'node:module';
import { expect } from 'chai';
import { stringType, structure, tag } from './program.ts';
import { Simulator } from './simulator.ts';

/** The part of st-ethernet-ip that is used here; its own types do not fit strict settings. */
interface Peer {
  readonly Controller: new (connected?: boolean) => PeerController;
  readonly Tag: new (
    name: string,
    program?: string | null,
    type?: number | null,
    at?: number,
    dimensions?: number,
    size?: number,
  ) => PeerTag;
  readonly TagGroup: new () => { add(tag: PeerTag): void };
}

interface PeerController {
  readonly properties: { readonly name: string; readonly version: string };
  readonly tagList: {
    readonly name: string;
    readonly program: string | null;
    readonly type: { readonly typeName: string };
  }[];
  connect(host: string, slot?: number | Buffer, setup?: boolean): Promise<void>;
  disconnect(): Promise<string>;
  newTag(name: string, program?: string | null): PeerTag;
  readTag(tag: PeerTag, size?: number): Promise<void>;
  writeTag(tag: PeerTag, value?: unknown): Promise<void>;
  readTagGroup(group: object): Promise<void>;
  writeTagGroup(group: object): Promise<void>;
}

interface PeerTag {
  value: unknown;
  readonly type: string;
}

const require = createRequire(import.meta.url);

// Its timers outlive what they were for; the tests have deadlines of their own.
(require('st-ethernet-ip/dist/utilities') as { promiseTimeout: object }).promiseTimeout = (
  promise: Promise<unknown>,
): Promise<unknown> => promise;
const peer = require('st-ethernet-ip') as Peer;

const motor = structure('Motor', { On: 'BOOL', Speed: 'REAL', Counts: 'INT[3]', Name: stringType });

/**
 * The simulated controller against an independent client, so that the driver, which is tested against it, is not tested against its own
 * author's idea of the protocol.
 */
for (const connected of [true, false])
  describe(`the simulated controller, asked by st-ethernet-ip ${connected ? 'in a connection' : 'without a connection'}`, () => {
    let device: Simulator;
    let client: PeerController;

    before(async () => {
      device = new Simulator();
      device.add(
        tag('aBool', 'BOOL'),
        tag('aSint', 'SINT', { bytes: 'fe' }),
        tag('anInt', 'INT', { bytes: 'feff' }),
        tag('aDint', 'DINT', { bytes: '40e20100' }),
        tag('aReal', 'REAL', { bytes: '0000c03f' }),
        tag('counts', 'DINT[2000]'),
        tag('motor', motor),
        tag('text', stringType, { bytes: '0500000048616c6c6f' }),
      );
      device.addTo('Main', tag('step', 'DINT', { bytes: '07' }));
      for (let at = 0; at < 2000; at++) device.tag('counts').value.writeInt32LE(at, 4 * at);
      const { value } = device.tag('motor');
      value[0] = 1;
      value.writeFloatLE(2.5, 4);
      value.writeInt16LE(-3, 8 + 4);
      // The port of the client is fixed in a file of its own.
      (require('st-ethernet-ip/dist/config.js') as { EIP_PORT: number }).EIP_PORT = await device.listen();
      client = new peer.Controller(connected);
      await client.connect('127.0.0.1', 0);
    });

    after(async () => {
      await client.disconnect();
      await device[Symbol.asyncDispose]();
    });

    it('says who it is', () => {
      expect(client.properties).to.include({ name: '1756-L83E/B', version: '33.11' });
    });

    it('lists its tags and those of its programs, and describes its structures', () => {
      const names = client.tagList.map(({ name, program, type }) => [name, program, type.typeName]);
      expect(names).to.deep.include.members([
        ['aDint', null, 'DINT'],
        ['motor', null, 'Motor'],
        ['text', null, 'STRING'],
        ['step', 'Main', 'DINT'],
      ]);
    });

    it('reads elementary tags, elements, members, structures and texts', async () => {
      const read = async (name: string, program?: string): Promise<unknown> => {
        const one = client.newTag(name, program ?? null);
        await client.readTag(one);
        return one.value;
      };
      expect(await read('aSint')).to.equal(-2);
      expect(await read('anInt')).to.equal(-2);
      expect(await read('aDint')).to.equal(123_456);
      expect(await read('aReal')).to.equal(1.5);
      expect(await read('counts[1234]')).to.equal(1234);
      expect(await read('step', 'Main')).to.equal(7);
      expect(await read('motor')).to.deep.include({ On: true, Speed: 2.5, Counts: [0, 0, -3] });
      expect(await read('text')).to.equal('Hallo');
      expect(await read('motor.Speed')).to.equal(2.5);
    });

    it('writes, and sets single bits', async () => {
      const write = async (name: string, value: unknown): Promise<void> => {
        const one = client.newTag(name);
        await client.readTag(one);
        // The client writes structures by their value alone.
        one.value = value;
        await client.writeTag(one);
      };
      await write('aDint', -77);
      await write('aReal', 8.5);
      await write('counts[3]', 33);
      await write('text', 'Welt!');
      expect(device.tag('aDint').value.readInt32LE()).to.equal(-77);
      expect(device.tag('aReal').value.readFloatLE()).to.equal(8.5);
      expect(device.tag('counts').value.readInt32LE(12)).to.equal(33);
      expect(device.tag('text').value.toString('latin1', 0, 9)).to.equal('\x05\0\0\0Welt!');
      device.tag('anInt').value.writeInt16LE(0);
      await write('anInt.4', true);
      expect(device.tag('anInt').value.readInt16LE()).to.equal(16);
    });

    it('reads and writes groups in packets of several requests', async () => {
      const group = new peer.TagGroup();
      const tags = ['aSint', 'aDint', 'aReal'].map((name) => client.newTag(name));
      for (const one of tags) group.add(one);
      await client.readTagGroup(group);
      expect(tags.map(({ value }) => value)).to.deep.equal([-2, -77, 8.5]);
      tags[0]!.value = 5;
      tags[1]!.value = 6;
      await client.writeTagGroup(group);
      expect(device.tag('aSint').value.readInt8()).to.equal(5);
      expect(device.tag('aDint').value.readInt32LE()).to.equal(6);
    });

    it('refuses with codes that the client understands', async () => {
      const error = await client.readTag(client.newTag('absent')).catch((reason: unknown) => reason);
      expect((error as { generalStatusCode?: number }).generalStatusCode).to.equal(4);
    });
  });
