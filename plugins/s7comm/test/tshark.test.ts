import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { Dissection, pointsOf, type Packet, withTshark } from '@tagway/testkit';
import { fixtureAt, withFixture } from './fixture.ts';
import { Relay } from './relay.ts';
import { Snap7, snap7Missing } from './snap7.ts';

const dissectionOf = (packets: readonly Packet[]): Dissection => new Dissection(packets, 102);

function expectSound(packets: readonly Packet[]): void {
  const dissection = dissectionOf(packets);
  expect(dissection.malformed()).to.deep.equal([]);
  expect(dissection.fields(['frame.number'], 's7comm || cotp')).to.have.length(packets.length);
}

withTshark('every frame, as tshark sees it', () => {
  const read = pointsOf(
    ['DB1.DBW10', DataType.UINT16],
    ['DB1.DBW99', DataType.UINT8],
    ['DB5.DBW0', DataType.INT16],
    ['M7.3', DataType.BIT],
    ['T5', DataType.UINT32],
    ['C3', DataType.UINT16],
    ['DB1.DBW300.254', DataType.STRING],
  );

  it('is sound, and says what was meant', async () => {
    await withFixture(
      async (fixture, plc) => {
        await fixture.read(read);
        await fixture.write(
          pointsOf(
            ['DB1.DBW10', DataType.FLOAT],
            ['M7.3', DataType.BIT],
            ['C3', DataType.UINT16],
            ['DB1.DBW20.9', DataType.STRING],
          ),
          [1.5, 1, 12, 'abc'],
        );
        expectSound(plc.packets);
        const shown = (filter: string, ...names: string[]): string[] =>
          dissectionOf(plc.packets)
            .fields(names, filter)
            .map((row) => row.join('\t'));
        expect(shown('cotp.type == 0x0e', 'cotp.src-tsap-bytes', 'cotp.dst-tsap-bytes')).to.deep.equal([
          '0100\t0101',
        ]);
        expect(
          shown(
            's7comm.param.func == 0xf0 && s7comm.header.rosctr == 1',
            's7comm.param.pdu_length',
            's7comm.param.maxamq_calling',
          ),
        ).to.deep.equal(['960\t8']);
        const reads = shown(
          's7comm.param.func == 4 && s7comm.header.rosctr == 1',
          ...[
            's7comm.param.item.area',
            's7comm.param.item.db',
            's7comm.param.item.address.byte',
            's7comm.param.item.address.number',
            's7comm.param.item.length',
          ],
        ).join('\n');
        expect(reads).to.include('0x84').and.to.include('0x83').and.to.include('0x1d').and.to.include('0x1c');
        const numbers = shown(
          's7comm.param.func == 4 && s7comm.header.rosctr == 1',
          's7comm.param.item.address.number',
        )
          .join(',')
          .split(',')
          .filter((number) => number !== '')
          .sort();
        expect(numbers).to.deep.equal(['3', '5']);
        expect(
          shown(
            's7comm.param.func == 5 && s7comm.header.rosctr == 1',
            ...[
              's7comm.param.itemcount',
              's7comm.param.item.transp_size',
              's7comm.param.item.length',
              's7comm.data.transportsize',
              's7comm.data.length',
            ],
          ),
        ).to.deep.equal(['4\t2,1,28,2\t4,1,1,4\t0x04,0x03,0x09,0x04\t4,1,2,4']);
        expect(
          shown('s7comm.param.func == 5 && s7comm.header.rosctr == 3', 's7comm.data.returncode'),
        ).to.deep.equal(['0xff,0xff,0xff,0xff']);
      },
      {},
      (plc) => {
        plc.pdu = 240;
        plc.blocks.set(1, Buffer.alloc(600));
      },
    );
  });

  if (snap7Missing !== undefined) it.skip(`is sound with snap7 too (skipped: ${snap7Missing})`);
  else
    it('is sound with snap7 too', async () => {
      await using snap7 = await Snap7.start({ pdu: 240, blocks: { 1: Buffer.alloc(600).toString('hex') } });
      await using relay = await Relay.open(snap7.port);
      await using fixture = await fixtureAt(relay.port);
      await fixture.read(read);
      await fixture.write(pointsOf(['DB1.DBW300.254', DataType.STRING], 'DB1.DBW1', 'DB2.DBW1'), [
        'x'.repeat(254),
        1,
        1,
      ]);
      expectSound(relay.packets);
      expect(
        dissectionOf(relay.packets)
          .fields(['s7comm.data.returncode'], 's7comm.param.func == 5 && s7comm.header.rosctr == 3')
          .join(','),
      ).to.include('0xff,0x0a');
    });
});
