import { DataType } from '@tagway/sdk';
import { callOf, Dissection, pointsOf, withTshark } from '@tagway/testkit';
import { expect } from 'chai';
import { openFixture } from './fixture.ts';
import { stringType, structure, tag } from './program.ts';

/** The port by which tshark knows EtherNet/IP. */
const port = 44_818;

const motor = structure('Motor', { On: 'BOOL', Speed: 'REAL', Name: stringType });
const huge = structure('Huge', { Data: 'SINT[9000]' });

withTshark('what tshark makes of the frames', () => {
  for (const [what, settings, prepare] of [
    ['a large connection', {}, {}],
    ['a small connection', {}, { large: false }],
    ['no connection and a route over two networks', { connection_size: 0, path: '1,0,2,10.0.0.12,1,0' }, {}],
    ['no connection left', {}, { connections: 0 }],
  ] as const)
    it(`over ${what} is sound, and what was meant`, async () => {
      const fixture = await openFixture((device) => {
        Object.assign(device.manners, prepare);
        if ('path' in settings) device.route = `01001209${Buffer.from('10.0.0.12').toString('hex')}000100`;
        device.add(
          tag('Level', 'INT', { bytes: '0100' }),
          tag('Word', 'DINT'),
          tag('Motor', motor),
          tag('Closed', 'INT'),
          tag('Bits', 'BOOL[64]'),
        );
        device.add(tag('Counts', 'DINT[4000]'), tag('Huge', huge));
        device.addTo('Main', tag('Step', 'DINT'));
        device.refusals.set('Closed', [0xff, 0x2105]);
      }, settings);
      const points = pointsOf(
        'Level',
        'Closed',
        'Absent',
        ['Word.3', DataType.BIT],
        ['Motor.On', DataType.BOOL],
        ['Motor.Speed', DataType.FLOAT],
        ['Motor.Name', DataType.STRING],
        ['Program:Main.Step', DataType.INT32],
        ['Bits[40]', DataType.BIT],
        ['Counts', DataType.BYTES],
        ['Huge', DataType.BYTES],
      );
      await fixture.readings(points);
      await fixture.written(points.slice(0, 9), [1, 2, 3, 1, true, 1.5, 'text', 9, 0]);
      await fixture.written(points.slice(9, 10), [new Uint8Array(16_000)]);
      await fixture.driver.browse?.({ id: 'Motor' }, callOf('demand'));
      await fixture[Symbol.asyncDispose]();
      const { frames } = fixture.simulator;
      expect(frames.length).to.be.above(30);
      const dissection = new Dissection(frames, port);
      const bad = dissection.fields(
        ['frame.number', '_ws.expert.message'],
        '_ws.malformed || _ws.expert.severity == 0x800000',
      );
      expect(bad).to.deep.equal([]);
      expect(dissection.fields(['frame.number'], 'enip')).to.have.lengthOf(frames.length);
      const rows = dissection.fields(['cip.sc', 'cip.cm.fwo.consize', 'cip.symbol'], 'cip');
      const column = (at: number): string[] => rows.flatMap((row) => (row[at] ?? '').split(','));
      const services = new Set(column(0));
      for (const service of ['0x4c', '0x4d', '0x4e', '0x52', '0x53', '0x03', '0x55', '0x0a'])
        expect(services, service).to.include(service);
      const sizes = rows.map((row) => row[1]?.split(',')[0] ?? '').filter((size) => size !== '');
      const wanted = 'large' in prepare ? ['4002', '504'] : ['4002'];
      expect(sizes).to.deep.equal('connection_size' in settings ? [] : wanted);
      expect(column(2)).to.include('Program:Main').and.to.include('Motor');
    });
});
