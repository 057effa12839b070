import { DataType, ErrorCode, LinkState } from '@tagway/sdk';
import { pointsOf, until } from '@tagway/testkit';
import { expect } from 'chai';
import { openFixture, type Fixture } from './fixture.ts';
import type { Settings } from '../src/settings.ts';
import { tag } from './program.ts';
import type { Simulator } from './simulator.ts';

const points = pointsOf('a', 'b');
const good = [1, 2];
const gone = points.map(() => ({ fault: ErrorCode.DISCONNECTED }));
const silent = points.map(() => ({ fault: ErrorCode.NO_RESPONSE }));

const open = (
  prepare: (device: Simulator) => void = () => undefined,
  changes: Partial<Settings> = {},
): Promise<Fixture> =>
  openFixture((device) => {
    device.add(tag('a', 'INT', { bytes: '0100' }), tag('b', 'INT', { bytes: '0200' }));
    prepare(device);
  }, changes);

/** Services of all messages without a connection, in their order. */
const unconnected = ({ simulator }: Fixture): number[] =>
  simulator.frames
    .filter(({ bytes, fromClient }) => fromClient && bytes[0] === 0x6f)
    .map(({ bytes }) => bytes[40]!);

describe('the link', () => {
  it('registers, asks who it is, opens a large connection, and gives all back at the end', async () => {
    const fixture = await open();
    expect(await fixture.readings(points)).to.deep.equal(good);
    const { simulator } = fixture;
    expect(simulator.connectionsOpen.size).to.equal(1);
    await fixture.driver.stop(AbortSignal.timeout(5000));
    expect(simulator.connectionsOpen.size).to.equal(0);
    const commandsOf = (): number[] =>
      simulator.frames.filter(({ fromClient }) => fromClient).map(({ bytes }) => bytes[0]!);
    await until('the session is given back', () => commandsOf().includes(0x66));
    const commands = commandsOf();
    expect(commands.slice(0, 3)).to.deep.equal([0x65, 0x63, 0x6f]);
    expect(commands.slice(-2)).to.deep.equal([0x6f, 0x66]);
    expect(unconnected(fixture)).to.deep.equal([0x5b, 0x4e]);
    await simulator.close();
  });

  it('opens a small connection where the controller has no large ones', async () => {
    await using fixture = await open((device) => (device.manners.large = false));
    expect(await fixture.readings(points)).to.deep.equal(good);
    expect(unconnected(fixture)).to.deep.equal([0x5b, 0x54]);
    expect([...fixture.simulator.connectionsOpen.values()][0]?.size).to.equal(504);
  });

  it('says that the controller has no connection left, reads without one, and takes one when there is one', async () => {
    await using fixture = await open((device) => (device.manners.connections = 0));
    expect(await fixture.readings(points)).to.deep.equal(good);
    expect(fixture.record.notices.filter((line) => !line.startsWith('Connected to'))).to.deep.equal([
      'The controller gives no connection: the controller has no connection left (status 0x01/0x0113). Messages go without one, which is slower. It is asked for one again every minute.',
    ]);
    expect(
      unconnected(fixture)
        .slice(1)
        .every((service) => service === 0x52),
    ).to.equal(true);
    fixture.simulator.manners.connections = 10;
    fixture.record.shortWaits = true;
    fixture.simulator.disconnectAll();
    await until('it is up again', async () => (await fixture.readings(points))[0] === 1);
    expect(fixture.simulator.connectionsOpen.size).to.equal(1);
  });

  it('asks for a connection again every minute', async () => {
    await using fixture = await openFixture((device) => (device.manners.connections = 0));
    await fixture.driver.stop(AbortSignal.timeout(5000));
    const second = await open((device) => (device.manners.connections = 0));
    second.record.shortWaits = true;
    second.simulator.disconnectAll();
    await until('it is up again', async () => (await second.readings(points))[0] === 1);
    second.simulator.manners.connections = 10;
    second.record.clockOffset += 61_000;
    await until('there is a connection', () => second.simulator.connectionsOpen.size === 1);
    await until('it is said', () => second.record.notices.includes('The controller has a connection again.'));
    expect(await second.readings(points)).to.deep.equal(good);
    expect(second.simulator.frames.findLast(({ fromClient }) => fromClient)?.bytes[0]).to.equal(0x70);
    await second[Symbol.asyncDispose]();
  });

  it('keeps its connection while nobody reads', async () => {
    await using fixture = await open();
    fixture.record.shortWaits = true;
    fixture.simulator.disconnectAll();
    await until('it is up again', async () => (await fixture.readings(points))[0] === 1);
    fixture.record.clockOffset += 10_000;
    await until('the vendor is asked for', () => fixture.simulator.count(0x0e) > 0);
  });

  it('goes through a route, with a connection and without', async () => {
    for (const connection_size of [504, 0]) {
      await using fixture = await open(
        (device) => (device.route = '01001208' + Buffer.from('10.0.0.5').toString('hex') + '0100'),
        {
          path: '1,0,2,10.0.0.5,1,0',
          connection_size,
        },
      );
      expect(await fixture.readings(points), String(connection_size)).to.deep.equal(good);
    }
  });

  it('says what is wrong with a path that leads nowhere', async () => {
    for (const connection_size of [4002, 0]) {
      await using fixture = await open((device) => (device.route = '0103'), { connection_size });
      await fixture.readings(points);
      const words =
        /nothing is reached through the path: the route names an address or a slot that is not there \(status 0x01\/0x0312\)/;
      await until('the reason is reported', () => words.test(fixture.reason));
      expect(fixture.link).to.not.equal(LinkState.CONNECTED);
    }
  });

  it('needs no route to a Micro800 or to an NJ or NX, and keeps to what they take', async () => {
    const kinds = [
      { identity: { vendor: 1, name: '2080-LC50-24QWB' }, size: 504 },
      { identity: { vendor: 0x2f, name: 'NJ501-1300' }, size: 1994 },
    ];
    for (const { identity, size } of kinds) {
      await using fixture = await open((device) => {
        device.identity = identity;
        device.route = undefined;
        Object.assign(device.manners, { packets: identity.vendor !== 1, program: false });
      });
      expect(await fixture.readings(points), identity.name).to.deep.equal(good);
      expect([...fixture.simulator.connectionsOpen.values()][0]?.size).to.equal(size);
    }
  });

  it('has tags of a silent controller say so, and makes a new connection with new numbers', async () => {
    await using fixture = await open();
    expect(await fixture.readings(points)).to.deep.equal(good);
    const [before] = fixture.simulator.connectionsOpen.values();
    fixture.simulator.answering = () => undefined;
    expect(await fixture.readings(points)).to.deep.equal(silent);
    await until('the connection is given up', async () => {
      await fixture.readings(points);
      return fixture.link !== LinkState.CONNECTED;
    });
    fixture.simulator.answering = (answer) => answer;
    await until('values come', async () => (await fixture.readings(points))[1] === 2);
    expect([...fixture.simulator.connectionsOpen.values()].at(-1)?.serial).to.not.equal(before?.serial);
  });

  it('loses a controller in mid-poll and half a frame with it, then goes on', async () => {
    await using fixture = await open();
    expect(await fixture.readings(points)).to.deep.equal(good);
    fixture.simulator.answering = (answer) => {
      fixture.simulator.push(answer.subarray(0, 30));
      setImmediate(() => fixture.simulator.disconnectAll());
      return undefined;
    };
    expect(await fixture.readings(points)).to.deep.equal(gone);
    fixture.simulator.answering = (answer) => answer;
    await until('values come', async () => (await fixture.readings(points))[1] === 2);
  });

  it('drops a late answer and keeps the connection', async () => {
    await using fixture = await open();
    expect(await fixture.readings(points)).to.deep.equal(good);
    let kept: Buffer | undefined;
    fixture.simulator.answering = (answer) => void (kept ??= Buffer.from(answer));
    expect(await fixture.readings(points)).to.deep.equal(silent);
    fixture.simulator.answering = (answer) => answer;
    fixture.simulator.tag('a').value.writeInt16LE(7);
    if (kept !== undefined) fixture.simulator.push(kept);
    expect(await fixture.readings(points)).to.deep.equal([7, 2]);
    expect(fixture.record.counts.get('late_frames')).to.equal(1);
    expect(fixture.states.filter((state) => state === LinkState.CONNECTED)).to.have.lengthOf(1);
  });

  it('takes frames in single bytes, and passes over those of other connections', async () => {
    await using fixture = await open((device) => (device.pieces = 1));
    expect(await fixture.readings(points)).to.deep.equal(good);
    fixture.simulator.pieces = Infinity;
    fixture.simulator.answering = (answer) => {
      const other = Buffer.from(answer);
      other.writeUInt32LE(0x1234_5678, 36);
      return Buffer.concat([other, answer]);
    };
    expect(await fixture.readings(points)).to.deep.equal(good);
    expect(fixture.record.counts.get('foreign_frames')).to.be.above(0);
  });

  const damages: readonly (readonly [what: string, damage: (answer: Buffer) => Buffer])[] = [
    ['what is no frame', () => Buffer.from('HTTP/1.1 400 Bad Request')],
    ['a frame without a message', (answer) => (answer.writeUInt16LE(0, 30), answer)],
    ['an item that is longer than its frame', (answer) => (answer.writeUInt16LE(900, 42), answer)],
    ['a message that is no reply', (answer) => ((answer[46] = 0x0a), answer)],
    ['the reply to another service', (answer) => ((answer[46] = 0x8e), answer)],
    ['fewer replies than were asked for', (answer) => (answer.writeUInt16LE(1, 50), answer)],
    ['a place behind the end', (answer) => (answer.writeUInt16LE(9000, 52), answer)],
  ];
  for (const [what, damage] of damages)
    it(`ends the connection on ${what}, and goes on`, async () => {
      await using fixture = await open();
      expect(await fixture.readings(points)).to.deep.equal(good);
      fixture.simulator.answering = (answer, request) => (request[46] === 0x0a ? damage(answer) : answer);
      expect(await fixture.readings(points)).to.deep.equal(
        points.map(() => ({ fault: ErrorCode.DECODE_FAILED })),
      );
      fixture.simulator.answering = (answer) => answer;
      await until('values come', async () => (await fixture.readings(points))[1] === 2);
      expect(fixture.record.counts.get('malformed_frames')).to.be.above(0);
    });

  it('begins anew when the controller has forgotten the session', async () => {
    await using fixture = await open();
    expect(await fixture.readings(points)).to.deep.equal(good);
    fixture.simulator.answering = (answer) => (answer.writeUInt32LE(0x64, 8), answer);
    expect(await fixture.readings(points)).to.deep.equal(gone);
    await until('it is said', () =>
      /refused a message with status 100 of the encapsulation/.test(fixture.reason),
    );
    fixture.simulator.answering = (answer) => answer;
    await until('values come', async () => (await fixture.readings(points))[1] === 2);
  });

  it('writes go before reads that wait', async () => {
    await using fixture = await open((device) => {
      device.manners.packets = false;
      for (let at = 0; at < 40; at++) device.add(tag(`t${at}`, 'INT'));
    });
    const many = pointsOf(...Array.from({ length: 40 }, (_, at) => `t${at}`));
    await fixture.readings(many);
    fixture.simulator.requests.length = 0;
    const reading = fixture.readings(many);
    expect(await fixture.written(pointsOf(['a', DataType.INT16]), [9])).to.deep.equal([undefined]);
    await reading;
    expect(fixture.simulator.requests.findIndex(([service]) => service === 0x4d)).to.be.within(0, 5);
  });
});
