import { expect } from 'chai';
import { DataType, ErrorCode, type Fault } from '@tagway/sdk';
import { integer, Tag } from '../src/wire/ber.ts';
import { PduType } from '../src/wire/pdu.ts';
import { bytes, counter32, int, text, type ScriptedAgent } from './agent.ts';
import { pointsOf, withFixture } from './fixture.ts';

const own = '1.3.6.1.4.1.99999';
const sets = (agent: ScriptedAgent): number[] =>
  agent.requests.filter(({ type }) => type === PduType.SET).map(({ objects }) => objects.length);

describe('writing', () => {
  it('sends several values in one request, each of the type that the agent has', async () => {
    await withFixture(
      async (fixture, agent) => {
        const points = pointsOf(
          ['sysName', DataType.STRING],
          [`${own}.1.0`, DataType.INT16],
          [`${own}.2.0`, DataType.UINT8],
          ['ifPromiscuousMode.1', DataType.BOOL],
          ['ifAdminStatus.1', DataType.STRING],
          [`${own}.3.0:hex`, DataType.STRING],
          [`${own}.4.0`, DataType.STRING],
        );
        const values = ['Süd', -5, 200, false, 'down', '00:1a:ff', '10.1.2.3'];
        expect(await fixture.written(points, values)).to.deep.equal(values.map(() => undefined));
        expect(sets(agent)).to.deep.equal([7]);
        expect(agent.get('1.3.6.1.2.1.1.5.0')).to.deep.equal(text('Süd'));
        expect(agent.get(`${own}.1.0`)).to.deep.equal(int(-5));
        expect(agent.get(`${own}.2.0`)).to.deep.equal(integer(200, Tag.GAUGE32));
        expect(agent.get('1.3.6.1.2.1.31.1.1.1.16.1')).to.deep.equal(int(2));
        expect(agent.get('1.3.6.1.2.1.2.2.1.7.1')).to.deep.equal(int(2));
        expect(agent.get(`${own}.3.0`)).to.deep.equal(bytes('001aff'));
        expect(agent.get(`${own}.4.0`)?.toString('hex')).to.equal('40040a010203');
      },
      {},
      (agent) =>
        agent
          .set('1.3.6.1.2.1.1.5.0', text(''))
          .set(`${own}.1.0`, int(0))
          .set(`${own}.2.0`, integer(0, Tag.GAUGE32))
          .set('1.3.6.1.2.1.31.1.1.1.16.1', int(1))
          .set('1.3.6.1.2.1.2.2.1.7.1', int(1))
          .set(`${own}.3.0`, bytes('00'))
          .set(`${own}.4.0`, Buffer.from('400401010101', 'hex')),
    );
  });

  it('refuses what the object does not take, without sending it', async () => {
    await withFixture(
      async (fixture, agent) => {
        const points = pointsOf(
          [`${own}.1.0`, DataType.STRING],
          [`${own}.2.0`, DataType.INT32],
          [`${own}.3.0`, DataType.INT32],
          [`${own}.1.0`, DataType.INT64],
        );
        const faults = await fixture.write(points, ['many', -1, 7, 2n ** 40n]);
        expect(faults.map((fault) => fault?.code)).to.deep.equal([
          ErrorCode.VALUE_OUT_OF_RANGE,
          ErrorCode.VALUE_OUT_OF_RANGE,
          ErrorCode.TYPE_MISMATCH,
          ErrorCode.VALUE_OUT_OF_RANGE,
        ]);
        expect(faults[2]?.message).to.include('an OCTET STRING').and.to.include('INT32');
        expect(sets(agent)).to.deep.equal([]);
      },
      {},
      (agent) => agent.set(`${own}.1.0`, int(0)).set(`${own}.2.0`, counter32(0)).set(`${own}.3.0`, text('')),
    );
  });

  it('lets one that the agent refuses cost itself alone', async () => {
    await withFixture(
      async (fixture, agent) => {
        const points = pointsOf(
          [`${own}.1.0`, DataType.INT32],
          [`${own}.9.0`, DataType.INT32],
          [`${own}.2.0`, DataType.INT32],
        );
        const faults = await fixture.write(points, [1, 2, 3]);
        expect(faults[0]).to.equal(undefined);
        expect(faults[2]).to.equal(undefined);
        expect((faults[1] as Fault).message).to.include('noCreation');
        expect(agent.get(`${own}.2.0`)).to.deep.equal(int(3));
      },
      {},
      (agent) => agent.set(`${own}.1.0`, int(0)).set(`${own}.2.0`, int(0)),
    );
  });

  it('sends one at a time to an agent that takes no more', async () => {
    await withFixture(
      async (fixture, agent) => {
        agent.mostObjects = 1;
        const points = pointsOf([`${own}.1.0`, DataType.INT32], [`${own}.2.0`, DataType.INT32]);
        expect(await fixture.written(points, [1, 2])).to.deep.equal([undefined, undefined]);
        expect(agent.get(`${own}.2.0`)).to.deep.equal(int(2));
      },
      {},
      (agent) => agent.set(`${own}.1.0`, int(0)).set(`${own}.2.0`, int(0)),
    );
  });

  it('sends a write once, and says that it may have been carried out', async () => {
    await withFixture(
      async (fixture, agent) => {
        agent.script = ({ type }, answer) => (type === PduType.SET ? [] : [answer]);
        const [fault] = await fixture.write(pointsOf([`${own}.1.0`, DataType.INT32]), [1]);
        expect(fault?.code).to.equal(ErrorCode.NO_RESPONSE);
        expect(fault?.message).to.include('may have written');
        expect(sets(agent)).to.deep.equal([1]);
      },
      { timeout: 150, retries: 1 },
      (agent) => agent.set(`${own}.1.0`, int(0)),
    );
  });

  it('finds the row anew before every write', async () => {
    await withFixture(
      async (fixture, agent) => {
        const point = pointsOf(['ifAdminStatus[ifDescr=eth0]', DataType.UINT8]);
        expect(await fixture.written(point, [2])).to.deep.equal([undefined]);
        agent.set('1.3.6.1.2.1.2.2.1.2.1', text('eth1')).set('1.3.6.1.2.1.2.2.1.2.2', text('eth0'));
        expect(await fixture.written(point, [3])).to.deep.equal([undefined]);
        expect(agent.get('1.3.6.1.2.1.2.2.1.7.1')).to.deep.equal(int(2));
        expect(agent.get('1.3.6.1.2.1.2.2.1.7.2')).to.deep.equal(int(3));
      },
      {},
      (agent) =>
        agent
          .set('1.3.6.1.2.1.2.2.1.2.1', text('eth0'))
          .set('1.3.6.1.2.1.2.2.1.2.2', text('eth1'))
          .set('1.3.6.1.2.1.2.2.1.7.1', int(1))
          .set('1.3.6.1.2.1.2.2.1.7.2', int(1)),
    );
  });

  it('has a community of its own', async () => {
    await withFixture(
      async (fixture, agent) => {
        agent.writeCommunity = 'secret';
        expect(await fixture.written(pointsOf([oidPlace, DataType.INT32]), [4])).to.deep.equal([undefined]);
        expect(agent.get(oidPlace)).to.deep.equal(int(4));
      },
      { write_community: 'secret' },
      (agent) => agent.set(oidPlace, int(0)),
    );
  });
});

const oidPlace = `${own}.1.0`;
