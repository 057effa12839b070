import { expect } from 'chai';
import { DataType, ErrorCode, isFault } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { encoded, Tag } from '../src/wire/ber.ts';
import { ErrorStatus, PduType } from '../src/wire/pdu.ts';
import { bytes, counter32, counter64, int, oid, ScriptedAgent, text } from './agent.ts';
import { fixtureAt, pointsOf, withFixture } from './fixture.ts';

const own = '1.3.6.1.4.1.99999';
const place = (number: number): string => `${own}.1.${number}.0`;

function furnish(count: number): (agent: ScriptedAgent) => void {
  return (agent) => {
    for (let number = 1; number <= count; number++) agent.set(place(number), int(number));
  };
}

const many = (count: number): string[] => Array.from({ length: count }, (_, at) => place(at + 1));
const values = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const gets = (agent: ScriptedAgent): number[] =>
  agent.requests.filter(({ type }) => type === PduType.GET).map(({ objects }) => objects.length);

describe('reading', () => {
  it('gives values of every kind, exactly', async () => {
    await withFixture(
      async (fixture) => {
        const points = pointsOf(
          ...([
            ['ifInOctets.1', DataType.UINT32],
            ['ifHCInOctets.1', DataType.UINT64],
            ['ifHCInOctets.2', DataType.DOUBLE],
            ['sysUpTime', DataType.UINT32],
            ['ifPhysAddress.1', DataType.STRING],
            ['ifPhysAddress.1', DataType.BYTES],
            ['ifPhysAddress.1:text', DataType.STRING],
            ['ifDescr.1', DataType.STRING],
            ['ifOperStatus.1', DataType.STRING],
            ['ifOperStatus.1', DataType.UINT8],
            ['ipAdEntAddr.10.0.0.1', DataType.STRING],
            ['sysObjectID', DataType.STRING],
            ['laLoadFloat.1', DataType.FLOAT],
            [`${own}.3.0`, DataType.DOUBLE],
            ['hrSystemDate', DataType.STRING],
            ['ifPromiscuousMode.1', DataType.BOOL],
            ['ifConnectorPresent.1', DataType.BIT],
            [`${own}.2.0`, DataType.INT32],
            [`${own}.4.0`, DataType.STRING],
            [`${own}.4.0:hex`, DataType.STRING],
            [`${own}.5.0`, DataType.UINT32],
          ] as const),
        );
        expect(await fixture.readings(points)).to.deep.equal([
          4_294_967_295,
          18_446_744_073_709_551_615n,
          2 ** 53,
          4711,
          '41:42:43:44:45:46',
          new Uint8Array(Buffer.from('ABCDEF')),
          'ABCDEF',
          'Süd',
          'lowerLayerDown',
          7,
          '10.0.0.1',
          '1.3.6.1.4.1.4294967295.2.39',
          1.25,
          -0.1,
          '2024-02-29T13:05:06.7+02:00',
          0,
          1,
          -2_147_483_648,
          'filled',
          '66:69:6c:6c:65:64:00:00',
          4_000_000_000,
        ]);
      },
      {},
      (agent) => {
        const float = Buffer.from('9f7804bfa00000', 'hex');
        float.writeFloatBE(1.25, 3);
        const double = Buffer.from('9f7908000000000000000000'.slice(0, 22), 'hex');
        double.writeDoubleBE(-0.1, 3);
        agent
          .set('1.3.6.1.2.1.2.2.1.10.1', counter32(4_294_967_295))
          .set('1.3.6.1.2.1.31.1.1.1.6.1', counter64(2n ** 64n - 1n))
          .set('1.3.6.1.2.1.31.1.1.1.6.2', counter64(2n ** 53n + 1n))
          .set('1.3.6.1.2.1.2.2.1.6.1', text('ABCDEF'))
          .set('1.3.6.1.2.1.2.2.1.2.1', text('Süd'))
          .set('1.3.6.1.2.1.2.2.1.8.1', int(7))
          .set('1.3.6.1.2.1.4.20.1.1.10.0.0.1', encoded(Tag.IP_ADDRESS, Buffer.of(10, 0, 0, 1)))
          .set('1.3.6.1.2.1.1.2.0', encoded(Tag.OID, oid('1.3.6.1.4.1.4294967295.2.39')))
          .set('1.3.6.1.4.1.2021.10.1.6.1', encoded(Tag.OPAQUE, float))
          .set(`${own}.3.0`, encoded(Tag.OPAQUE, double))
          .set('1.3.6.1.2.1.25.1.2.0', bytes('07e8021d0d0506072b0200'))
          .set('1.3.6.1.2.1.31.1.1.1.16.1', int(2))
          .set('1.3.6.1.2.1.31.1.1.1.17.1', int(1))
          .set(`${own}.2.0`, int(-2_147_483_648))
          .set(`${own}.4.0`, text('filled\0\0'))
          // An agent that leaves out the zero before a first byte above 127.
          .set(`${own}.5.0`, encoded(Tag.GAUGE32, Buffer.from('ee6b2800', 'hex')));
      },
    );
  });

  it('refuses what the type of a tag cannot hold, with its own sentence', async () => {
    await withFixture(
      async (fixture) => {
        const points = pointsOf(
          [place(1), DataType.UINT8],
          [place(2), DataType.BOOL],
          [place(3), DataType.UINT32],
          [place(1), DataType.BYTES],
          [place(4), DataType.INT32],
        );
        const faults = await fixture.read(points);
        expect(faults.map((fault) => isFault(fault) && fault.code)).to.deep.equal([
          ErrorCode.VALUE_OUT_OF_RANGE,
          ErrorCode.VALUE_OUT_OF_RANGE,
          ErrorCode.TYPE_MISMATCH,
          ErrorCode.TYPE_MISMATCH,
          ErrorCode.READ_FAILED,
        ]);
        expect((faults[2] as Error).message)
          .to.include('an OCTET STRING')
          .and.to.include('UINT32');
      },
      {},
      (agent) => agent.set(place(1), int(-1)).set(place(2), int(2)).set(place(3), text('x')),
    );
  });

  it('asks for as many objects at once as fit, and once for an object of several tags', async () => {
    await withFixture(
      async (fixture, agent) => {
        const points = pointsOf(...many(100), [place(1), DataType.STRING]);
        agent.requests.length = 0;
        expect(await fixture.readings(points)).to.deep.equal([...values(100), '1']);
        expect(gets(agent)).to.have.length(3);
        expect(gets(agent).reduce((sum, count) => sum + count)).to.equal(100);
      },
      {},
      furnish(100),
    );
  });

  it('halves what is too big for the agent, and tries the whole again later', async () => {
    await withFixture(
      async (fixture, agent) => {
        agent.mostObjects = 10;
        const points = pointsOf(...many(30));
        expect(await fixture.readings(points)).to.deep.equal(values(30));
        agent.requests.length = 0;
        expect(await fixture.readings(points)).to.deep.equal(values(30));
        expect(gets(agent)).to.deep.equal([7, 8, 7, 8]);
        agent.mostObjects = Infinity;
        fixture.record.clockOffset += 11_000;
        agent.requests.length = 0;
        expect(await fixture.readings(points)).to.deep.equal(values(30));
        expect(gets(agent)).to.deep.equal([30]);
      },
      {},
      furnish(30),
    );
  });

  it('sends smaller requests to an agent that does not answer large ones', async () => {
    await withFixture(
      async (fixture, agent) => {
        agent.mostAnswered = 8;
        const points = pointsOf(...many(16));
        expect(isFault((await fixture.read(points))[0])).to.equal(true);
        expect(await fixture.readings(points)).to.deep.equal(values(16));
      },
      { timeout: 150, retries: 0 },
      furnish(16),
    );
  });

  for (const version of [0, 1]) {
    it(`lets an object that the agent does not have cost itself alone, in version ${version === 0 ? '1' : '2c'}`, async () => {
      await withFixture(
        async (fixture, agent) => {
          const bad = [`${own}.77.0`, `${own}.78.0`];
          const points = pointsOf(place(1), bad[0]!, place(2), bad[1]!, place(3));
          const refused = { fault: ErrorCode.READ_FAILED };
          expect(await fixture.readings(points)).to.deep.equal([1, refused, 2, refused, 3]);
          agent.requests.length = 0;
          expect(await fixture.readings(points)).to.deep.equal([1, refused, 2, refused, 3]);
          expect(agent.requests).to.have.length(1);
          // When the object is there, it is found.
          agent.set(bad[0]!, int(77));
          fixture.record.clockOffset += 11_000;
          expect(await fixture.readings(points)).to.deep.equal([1, 77, 2, refused, 3]);
          agent.set(bad[1]!, int(78));
          fixture.record.clockOffset += 21_000;
          agent.requests.length = 0;
          expect(await fixture.readings(points)).to.deep.equal([1, 77, 2, 78, 3]);
          expect(gets(agent)).to.include(5);
        },
        { version },
        furnish(3),
      );
    });
  }

  it('lets an object that makes the agent fail cost itself alone', async () => {
    await withFixture(
      async (fixture, agent) => {
        agent.failing.set(oid(place(2)).toString('hex'), ErrorStatus.GEN_ERR);
        const [one, two, three] = await fixture.read(pointsOf(...many(3)));
        expect([one, three]).to.deep.equal([1, 3]);
        expect((two as Error).message).to.include('genErr');
      },
      {},
      furnish(3),
    );
  });

  it('gives an answer to another question a fault, and takes no late one for another', async () => {
    await withFixture(
      async (fixture, agent) => {
        let late: Buffer | undefined;
        agent.script = (_request, answer) => {
          late = answer;
          return [];
        };
        expect(await fixture.readings(pointsOf(place(1)))).to.deep.equal([{ fault: ErrorCode.NO_RESPONSE }]);
        agent.script = (_request, answer) => [late!, answer];
        expect(await fixture.readings(pointsOf(place(2)))).to.deep.equal([2]);
        expect(fixture.record.counts.get('late_frames')).to.equal(1);
        const wanted = oid(place(2));
        const other = oid(place(3));
        agent.script = (_request, answer) => {
          const changed = Buffer.from(answer);
          other.copy(changed, changed.indexOf(wanted));
          return [changed];
        };
        expect(await fixture.readings(pointsOf(place(2)))).to.deep.equal([
          { fault: ErrorCode.DECODE_FAILED },
        ]);
      },
      { timeout: 200, retries: 0 },
      furnish(3),
    );
  });

  it('reads again after an outage in which the agent refused everything', async () => {
    await withFixture(
      async (fixture, agent) => {
        const points = pointsOf(...many(20));
        for (const address of many(20)) agent.failing.set(oid(address).toString('hex'), ErrorStatus.GEN_ERR);
        await fixture.read(points);
        agent.failing.clear();
        await until('all is read again', async () => {
          fixture.record.clockOffset += 10_000;
          return !(await fixture.read(points)).some(isFault);
        });
      },
      {},
      furnish(20),
    );
  });
});

describe('hundreds of agents', function () {
  this.timeout(60_000);

  it('are read by as many nodes, and one that is silent costs its own alone', async () => {
    await using agent = await new ScriptedAgent().set(place(1), int(1)).listen();
    await using silent = await new ScriptedAgent().listen();
    silent.community = 'another';
    const ports = Array.from({ length: 200 }, (_, at) => (at === 100 ? silent.port : agent.port));
    const nodes = await Promise.all(ports.map((port) => fixtureAt(port, { timeout: 1000, retries: 0 })));
    try {
      for (let round = 0; round < 3; round++) {
        const results = await Promise.all(nodes.map((node) => node.readings(pointsOf(place(1)))));
        expect(results.flat().filter((value) => value === 1)).to.have.length(199);
        expect(results[100]).to.deep.equal([{ fault: ErrorCode.DISCONNECTED }]);
      }
    } finally {
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
    }
  });
});

describe('rows of tables', () => {
  const descr = '1.3.6.1.2.1.2.2.1.2';
  const octets = '1.3.6.1.2.1.2.2.1.10';
  const errors = '1.3.6.1.2.1.2.2.1.14';
  const row = (agent: ScriptedAgent, index: number, name: string, value: number): void => {
    agent
      .set(`${descr}.${index}`, text(name))
      .set(`${octets}.${index}`, counter32(value))
      .set(`${errors}.${index}`, counter32(value + 1));
  };
  const points = pointsOf('ifInOctets[ifDescr=eth0]', 'ifInErrors[ifDescr=eth0]', 'ifInOctets[ifDescr=eth1]');

  for (const version of [0, 1]) {
    it(`are found by the value of a column and kept when they move, in version ${version === 0 ? '1' : '2c'}`, async () => {
      await withFixture(
        async (fixture, agent) => {
          expect(await fixture.readings(points)).to.deep.equal([10, 11, 20]);
          agent.requests.length = 0;
          expect(await fixture.readings(points)).to.deep.equal([10, 11, 20]);
          expect(agent.requests, 'one request, with both rows').to.have.length(1);
          // The two change places: no value of the other is ever taken.
          row(agent, 1, 'eth1', 20);
          row(agent, 2, 'eth0', 10);
          expect(await fixture.readings(points)).to.deep.equal([10, 11, 20]);
          // One goes away, and the other gets its place.
          agent.remove(`${descr}.2`).remove(`${octets}.2`).remove(`${errors}.2`);
          row(agent, 1, 'eth0', 12);
          const gone = { fault: ErrorCode.READ_FAILED };
          expect(await fixture.readings(points)).to.deep.equal([12, 13, gone]);
          row(agent, 9, 'eth1', 30);
          fixture.record.clockOffset += 11_000;
          expect(await fixture.readings(points)).to.deep.equal([12, 13, 30]);
        },
        { version },
        (agent) => {
          row(agent, 1, 'eth0', 10);
          row(agent, 2, 'eth1', 20);
          row(agent, 3, 'eth2', 30);
        },
      );
    });
  }

  it('that are not the only ones with a value are refused', async () => {
    await withFixture(
      async (fixture) => {
        const [first] = await fixture.read(points);
        expect((first as Error).message).to.include('Several rows');
      },
      {},
      (agent) => {
        row(agent, 1, 'eth0', 10);
        row(agent, 2, 'eth0', 20);
      },
    );
  });

  it('are found in a table of thousands with few requests', async () => {
    await withFixture(
      async (fixture, agent) => {
        agent.requests.length = 0;
        expect(await fixture.readings(pointsOf('ifInOctets[ifDescr=port 999]'))).to.deep.equal([999]);
        expect(agent.requests.length).to.be.lessThan(40);
      },
      {},
      (agent) => {
        for (let index = 1; index <= 1000; index++) agent.set(`${descr}.${index}`, text(`port ${index}`));
        agent.set(`${octets}.999`, counter32(999));
      },
    );
  });
});
