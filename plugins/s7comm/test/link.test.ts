import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { DataType, ErrorCode, LinkState } from '@tagway/sdk';
import { pointsOf, until, untilRead } from '@tagway/testkit';
import type { Settings } from '../src/settings.ts';
import { fixtureAt, type Fixture, withFixture } from './fixture.ts';
import { answer, packets, refusal, Simulator } from './simulator.ts';

const points = pointsOf('DB1.DBW0', ['DB1.DBW100', DataType.UINT16]);
const gone = [{ fault: ErrorCode.DISCONNECTED }, { fault: ErrorCode.DISCONNECTED }];

function withBlock(plc: Simulator): void {
  const block = Buffer.alloc(200);
  block.writeInt16BE(-5, 0);
  block.writeUInt16BE(50_000, 100);
  plc.blocks.set(1, block);
}

const valuesCome = (fixture: Fixture): Promise<void> => untilRead(fixture.driver, points, [-5, 50_000]);

describe('the link', () => {
  it('is disconnected while nothing listens', async () => {
    const plc = new Simulator();
    await plc.listen();
    await plc[Symbol.asyncDispose]();
    await using fixture = await fixtureAt(plc.port);
    expect(fixture.link).to.not.equal(LinkState.CONNECTED);
    expect(await fixture.readings(points)).to.deep.equal(gone);
    expect(fixture.reason).to.include('refuses connections');
  });

  it('asks for the PLC at rack and slot, or for the TSAPs of the settings', async () => {
    const tsaps = async (changes: Partial<Settings>): Promise<string> => {
      let request = '';
      await withFixture(
        () => Promise.resolve(),
        changes,
        (plc) => {
          const { confirm } = plc;
          plc.confirm = (bytes) => {
            request = bytes.toString('hex', 14);
            return confirm(bytes);
          };
        },
      );
      return request;
    };
    expect(await tsaps({})).to.equal('c1020100c2020101');
    expect(await tsaps({ connection_type: 3, rack: 2, slot: 5 })).to.equal('c1020100c2020345');
    expect(await tsaps({ local_tsap: '10.00', remote_tsap: '10.0a' })).to.equal('c1021000c202100a');
  });

  it('takes a confirmation without parameters, and asks for no more than a TPDU holds', async () => {
    for (const [confirm, pdu] of [
      ['0300000b06d00001000200', 960],
      ['0300000e09d00001000200c00108', 253],
    ] as const) {
      let asked = 0;
      await withFixture(
        async (fixture) => {
          await valuesCome(fixture);
          expect(asked).to.equal(pdu);
        },
        {},
        (plc) => {
          withBlock(plc);
          plc.pdu = 960;
          plc.confirm = () => Buffer.from(confirm, 'hex');
          plc.setup = (usual) => {
            asked = usual.readUInt16BE(usual.length - 2);
            return usual;
          };
        },
      );
    }
  });

  const refusals: readonly (readonly [string, (plc: Simulator) => void, string])[] = [
    [
      'a connection that is refused',
      (plc) => (plc.confirm = () => Buffer.from('0300000b06800001000201', 'hex')),
      'rack, slot and connection type',
    ],
    [
      'a greeting of somebody else',
      (plc) => (plc.confirm = () => Buffer.from('0300000b06f00001000201', 'hex')),
      'does not speak S7',
    ],
    [
      'garbage in place of a greeting',
      (plc) => (plc.confirm = () => Buffer.from('HTTP/1.1 400 Bad Request')),
      'no frame',
    ],
    ['a setup that is refused', (plc) => (plc.setup = () => refusal(1, 0x8104)), '0x8104'],
    [
      'a setup that makes no sense',
      (plc) => (plc.setup = () => packets(answer(1, Buffer.from([4, 1]), Buffer.alloc(0)))),
      'does not speak S7',
    ],
    [
      'a PDU of nothing',
      (plc) =>
        (plc.setup = () => packets(answer(1, Buffer.from([0xf0, 0, 0, 1, 0, 1, 0, 0]), Buffer.alloc(0)))),
      'too small',
    ],
    ['a silent greeting', (plc) => (plc.confirm = () => undefined), 'handshake'],
    ['a silent setup', (plc) => (plc.setup = () => undefined), 'handshake'],
  ];
  for (const [title, prepare, words] of refusals) {
    it(`says what is wrong: ${title}`, async () => {
      await withFixture(
        async (fixture, plc) => {
          await until('the reason is reported', () => fixture.reason.includes(words));
          expect(fixture.record.links.findLast(({ report }) => report.reason)?.report.step).to.equal(
            'handshake',
          );
          expect(fixture.link).to.not.equal(LinkState.CONNECTED);
          expect(await fixture.readings(points)).to.deep.equal(gone);
          plc.confirm = new Simulator().confirm;
          plc.setup = (usual) => usual;
          await valuesCome(fixture);
        },
        {},
        (plc) => {
          withBlock(plc);
          prepare(plc);
        },
      );
    }).timeout(10_000);
  }

  it('a silent PLC costs a timeout, and in the end the connection', async () => {
    await withFixture(
      async (fixture, plc) => {
        await valuesCome(fixture);
        plc.script = () => undefined;
        const silent = [{ fault: ErrorCode.NO_RESPONSE }, { fault: ErrorCode.NO_RESPONSE }];
        expect(await fixture.readings(points)).to.deep.equal(silent);
        await until('the connection is given up', async () => {
          await fixture.readings(points);
          return plc.connections > 1;
        });
        plc.script = ({ send }, usual) => send(usual);
        await valuesCome(fixture);
      },
      {},
      withBlock,
    );
  }).timeout(15_000);

  const wirings: readonly (readonly [string, (plc: Simulator) => void])[] = [
    [
      'one byte per chunk',
      (plc) => {
        plc.script = ({ send }, usual) => {
          for (const byte of usual) send(Buffer.from([byte]));
        };
      },
    ],
    [
      'half a frame, then the rest',
      (plc) => {
        let before = Promise.resolve();
        plc.script = ({ send }, usual) => {
          before = before.then(async () => {
            send(usual.subarray(0, 9));
            await sleep(20);
            send(usual.subarray(9));
          });
        };
      },
    ],
    [
      'two answers in one chunk',
      (plc) => {
        let first: Buffer | undefined;
        plc.script = ({ send }, usual) => {
          if (first === undefined) first = usual;
          else {
            send(Buffer.concat([usual, first]));
            first = undefined;
          }
        };
      },
    ],
    [
      'a message that nobody has asked for',
      (plc) => {
        plc.script = ({ send }, usual) => {
          const push = Buffer.from(usual);
          push[8] = 7;
          // What is no answer has a header that is two bytes shorter.
          push.writeUInt16BE(push.readUInt16BE(13) + 2, 13);
          send(Buffer.concat([push, usual]));
        };
      },
    ],
  ];
  for (const [title, prepare] of wirings) {
    it(`understands ${title}`, async () => {
      await withFixture(
        async (fixture, plc) => {
          prepare(plc);
          // Two groups at once, so that there are two answers.
          const other = pointsOf('DB1.DBW100', 'DB1.DBW0');
          const [one, two] = await Promise.all([fixture.readings(points), fixture.readings(other)]);
          expect(one).to.deep.equal([-5, 50_000]);
          expect(two).to.deep.equal([50_000 - 65_536, -5]);
          expect(plc.connections).to.equal(1);
        },
        {},
        withBlock,
      );
    });
  }

  it('drops a late answer, which is not taken for that of the next request', async () => {
    await withFixture(
      async (fixture, plc) => {
        let late: (() => void) | undefined;
        plc.script = ({ send }, usual) => {
          late = () => send(usual);
        };
        expect((await fixture.readings(points))[0]).to.deep.equal({ fault: ErrorCode.NO_RESPONSE });
        plc.blocks.get(1)!.writeInt16BE(-6, 0);
        plc.script = ({ send }, usual) => {
          late?.();
          send(usual);
        };
        expect(await fixture.readings(points)).to.deep.equal([-6, 50_000]);
        expect(fixture.record.counts.get('late_frames')).to.equal(1);
        expect(plc.connections).to.equal(1);
      },
      {},
      withBlock,
    );
  });

  it('is made anew when the PLC restarts in the middle of a poll', async () => {
    await withFixture(
      async (fixture, plc) => {
        await valuesCome(fixture);
        const { script } = plc;
        plc.script = () => plc.disconnectAll();
        expect(await fixture.readings(points)).to.deep.equal(gone);
        plc.script = script;
        await valuesCome(fixture);
      },
      {},
      withBlock,
    );
  });

  const garbage: readonly (readonly [string, (usual: Buffer) => Buffer, number])[] = [
    [
      'garbage before a frame',
      (usual) => Buffer.concat([Buffer.from('garbage'), usual]),
      ErrorCode.DECODE_FAILED,
    ],
    [
      'an answer with another function',
      (usual) => {
        const other = Buffer.from(usual);
        other[19] = 5;
        return other;
      },
      ErrorCode.DECODE_FAILED,
    ],
    [
      'an item that claims more than there is',
      (usual) => {
        const other = Buffer.from(usual);
        other.writeUInt16BE(0xffff, 23);
        return other;
      },
      ErrorCode.DECODE_FAILED,
    ],
    [
      'a message that is no S7 message',
      (usual) => {
        const other = Buffer.from(usual);
        other[7] = 0x72;
        return other;
      },
      ErrorCode.DECODE_FAILED,
    ],
    ['the end of the connection', () => Buffer.from('0300000b06800001000201', 'hex'), ErrorCode.DISCONNECTED],
  ];
  for (const [title, spoil, code] of garbage) {
    it(`gives up the connection after ${title}`, async () => {
      await withFixture(
        async (fixture, plc) => {
          await valuesCome(fixture);
          const { script } = plc;
          plc.script = ({ send }, usual) => send(spoil(usual));
          expect(await fixture.readings(points)).to.deep.equal([{ fault: code }, { fault: code }]);
          plc.script = script;
          await until('it is a new one', () => plc.connections === 2);
          await valuesCome(fixture);
        },
        {},
        withBlock,
      );
    });
  }
});
