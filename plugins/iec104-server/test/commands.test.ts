import { DataType, ErrorCode, Fault } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { expect } from 'chai';
import { Centre, type Unit } from './kit/centre.ts';
import { Station, tagsOf } from './kit/station.ts';

const { BIT, BOOL, UINT8, INT8, FLOAT, INT16, UINT32, INT32 } = DataType;
const select = 0x80;

const shape = (units: readonly Unit[]): string[] =>
  units.map(({ type, cause, isNegative }) => `${type}/${cause}${isNegative ? '-' : ''}`);

/** What was written, in order. */
const written = (station: Station): unknown[] =>
  station.writes.map(({ write }) => `${write.tag}=${JSON.stringify(write.value)}`);

/** Sends a command and waits for its confirmation, or its refusal. */
const command = async (
  centre: Centre,
  type: number,
  ioa: number,
  element: readonly number[],
  cause = 6,
): Promise<string> => shape([await centre.ask(type, cause, ioa, element)])[0]!;

/** CP56Time2a of a time in UTC. */
function timeOctets(time: number): number[] {
  const at = new Date(time);
  const ms = at.getUTCSeconds() * 1000 + at.getUTCMilliseconds();
  return [
    ms & 255,
    ms >> 8,
    at.getUTCMinutes(),
    at.getUTCHours(),
    at.getUTCDate(),
    at.getUTCMonth() + 1,
    at.getUTCFullYear() % 100,
  ];
}

const float = (value: number): number[] => {
  const octets = Buffer.alloc(4);
  octets.writeFloatLE(value);
  return [...octets];
};

const one = tagsOf(BIT);
const direct = 'tag,type,object\nt0,45,1';

describe('commands', () => {
  const tags = tagsOf(BIT, BOOL, UINT8, INT8, FLOAT, INT16, FLOAT, UINT32, BIT, INT32);
  const table = [
    'tag,type,object',
    ...[
      't0,45,1',
      't1,45,2',
      't2,46,3',
      't3,47,4',
      't4,48,5',
      't5,49,6',
      't6,50,7',
      't7,51,8',
      't8,46,9',
      't9,64,10',
    ],
  ].join('\n');

  it('of every type write the tag, and are confirmed and terminated when the device has confirmed', async () => {
    await using station = await Station.start(tags, table);
    await using centre = await Centre.start(station.port);
    const now = timeOctets(Date.now());
    const cases: readonly (readonly [type: number, ioa: number, element: number[], write: string])[] = [
      [45, 1, [1], 't0=1'],
      [58, 1, [0, ...now], 't0=0'],
      [45, 2, [1], 't1=true'],
      [46, 3, [2], 't2=2'],
      [59, 3, [1, ...now], 't2=1'],
      [47, 4, [1], 't3=1'],
      [60, 4, [2, ...now], 't3=2'],
      [48, 5, [0, 0xc0, 0], 't4=-0.5'],
      [61, 5, [0, 0x40, 0, ...now], 't4=0.5'],
      [49, 6, [0xd4, 0xfe, 0], 't5=-300'],
      [62, 6, [1, 0, 0, ...now], 't5=1'],
      [50, 7, [...float(20.25), 0], 't6=20.25'],
      [63, 7, [...float(-1), 0, ...now], 't6=-1'],
      [51, 8, [1, 0, 0, 0x80], 't7=2147483649'],
      [64, 8, [2, 0, 0, 0, ...now], 't7=2'],
      [46, 9, [2], 't8=1'],
      [46, 9, [1], 't8=0'],
      [64, 10, [0xff, 0xff, 0xff, 0xff, ...now], 't9=-1'],
    ];
    for (const [type, ioa, element, write] of cases) {
      const from = centre.units.length;
      centre.send(type, 6, ioa, element);
      await centre.next(`the end of type ${type}`, ({ cause }) => cause === 10, from);
      const units = centre.units.slice(from).filter((unit) => unit.type === type);
      expect(shape(units), write).to.deep.equal([`${type}/7`, `${type}/10`]);
      for (const { body } of units) expect([...body]).to.deep.equal([ioa, 0, 0, ...element]);
      expect(written(station).at(-1)).to.equal(write);
    }
    expect(station.writes).to.have.length(cases.length);
    expect(new Set(station.writes.map(({ options }) => options.from)), 'who asked').to.deep.equal(
      new Set(['127.0.0.1']),
    );
    expect(await command(centre, 51, 10, [0, 0, 0, 0]), 'the row takes it with time alone').to.equal(
      '51/47-',
    );
  });

  it('with values that their type does not have are refused', async () => {
    await using station = await Station.start(tags, table);
    await using centre = await Centre.start(station.port);
    for (const [type, ioa, element] of [
      [46, 3, [0]],
      [46, 3, [3]],
      [47, 4, [0]],
      [47, 4, [3]],
      [50, 7, [0, 0, 0xc0, 0x7f, 0]],
      [50, 7, [0, 0, 0x80, 0x7f, 0]],
    ] as const)
      expect(await command(centre, type, ioa, element), `${type} ${element.join()}`).to.equal(`${type}/7-`);
    expect(station.writes).to.deep.equal([]);
  });

  it('are confirmed negatively when the device does not take them, and the log says why', async () => {
    await using station = await Station.start(one, direct);
    await using centre = await Centre.start(station.port);
    station.answer = () =>
      Promise.resolve(new Fault(ErrorCode.WRITE_FAILED, 'The breaker is switched to local control.'));
    expect(await command(centre, 45, 1, [1])).to.equal('45/7-');
    expect(station.record.logs.at(-1)).to.match(
      /^The command of 127\.0\.0\.1:\d+ to the object 1 of the common address 1 \(type 45\) was refused: The breaker is switched to local control\.$/,
    );
    expect(station.record.counts.get('refused_commands_total')).to.equal(1);
  });

  it('are refused where the settings do not let the control centre command', async () => {
    for (const settings of [{ commands: false }, { command_addresses: '127.0.0.9' }]) {
      await using station = await Station.start(one, direct, settings);
      await using centre = await Centre.start(station.port);
      expect(await command(centre, 45, 1, [1])).to.equal('45/7-');
      expect(await command(centre, 45, 1, [1 | select])).to.equal('45/7-');
      expect(station.writes).to.deep.equal([]);
    }
    await using station = await Station.start(one, direct, { command_addresses: '127.0.0.0/8' });
    await using centre = await Centre.start(station.port);
    expect(await command(centre, 45, 1, [1])).to.equal('45/7');
  });

  it('that are refused by the station itself are named to the audit with the address, those that the device refuses are not', async () => {
    const table = `${direct}\nt1,45,2`;
    const rows = `${table.replace('object', 'object,select')},yes`;
    await using station = await Station.start(tagsOf(BIT, BIT), rows, { command_age: 5 });
    await using centre = await Centre.start(station.port, { localAddress: '127.0.0.7' });
    const old = timeOctets(Date.now() - 60_000);
    await command(centre, 45, 2, [1]);
    await command(centre, 58, 1, [1, ...old]);
    await command(centre, 46, 1, [1]);
    await command(centre, 45, 1, [1], 3);
    await centre.ask(45, 6, 1, [1], 9);
    station.answer = () => Promise.resolve(new Fault(ErrorCode.WRITE_FAILED));
    await command(centre, 45, 1, [1]);
    expect(station.writes, 'of the last one alone').to.have.length(1);
    expect(station.refused.map(({ from }) => from)).to.deep.equal(Array(5).fill('127.0.0.7'));
    expect(station.refused.map(({ request, fault }) => `${request}: ${fault.message}`)).to.deep.equal([
      'the command 45 to the object 2 of the common address 1 (01): the object is not selected.',
      `the command 58 to the object 1 of the common address 1 (01${Buffer.from(old).toString('hex')}): ${station.refused[1]?.fault.message}`,
      'the command 46 to the object 1 of the common address 1 (01): no such object takes this type of command.',
      'the command 45 to the object 1 of the common address 1 (01): its cause is none of a command.',
      'the command 45 to the object 1 of the common address 9 (01): no object has this common address.',
    ]);
    expect(station.refused[1]?.fault.message).to.match(
      /^its time differs from that of the gateway by 6\d{4} ms\.$/,
    );
  });

  it('to one object are carried out one at a time', async () => {
    await using station = await Station.start(one, direct);
    await using centre = await Centre.start(station.port);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    station.answer = () => promise;
    centre.send(45, 6, 1, [1]);
    await until('the first is under way', () => station.writes.length === 1);
    expect(await command(centre, 45, 1, [0])).to.equal('45/7-');
    resolve(undefined);
    await centre.next('the end of the first', ({ cause }) => cause === 10);
    expect(await command(centre, 45, 1, [0])).to.equal('45/7');
    expect(written(station)).to.deep.equal(['t0=1', 't0=0']);
  });

  it('that are marked as a test are answered and change nothing', async () => {
    await using station = await Station.start(one, direct);
    await using centre = await Centre.start(station.port);
    const unit = await centre.ask(45, 6 | 0x80, 1, [1]);
    expect(unit).to.include({ cause: 7, isTest: true, isNegative: false });
    expect(station.writes).to.deep.equal([]);
  });

  it('bring about a change that is reported as their return information', async () => {
    await using station = await Station.start(one, `${direct}\nt0,30,100`);
    await station.deliver({ t0: { value: 0 } });
    await using centre = await Centre.start(station.port);
    await command(centre, 45, 1, [1]);
    await station.deliver({ t0: { value: 1 } });
    await centre.next('the return information', ({ type, cause }) => type === 30 && cause === 11);
    await station.deliver({ t0: { value: 0 } });
    await centre.next('what comes later by itself', ({ type, cause }) => type === 30 && cause === 3);
  });

  it('with a time tag are refused when it is old, in the future or invalid', async () => {
    await using station = await Station.start(one, direct, { command_age: 5 });
    await using centre = await Centre.start(station.port);
    const at = (offset: number): number[] => timeOctets(Date.now() + offset);
    expect(await command(centre, 58, 1, [1, ...at(-1000)])).to.equal('58/7');
    await centre.next('its end', ({ cause }) => cause === 10);
    expect(await command(centre, 58, 1, [1, ...at(-7000)])).to.equal('58/7-');
    expect(await command(centre, 58, 1, [1, ...at(7000)])).to.equal('58/7-');
    const invalid = at(0);
    invalid[2]! |= 0x80;
    expect(await command(centre, 58, 1, [1, ...invalid])).to.equal('58/7-');
    expect(await command(centre, 58, 1, [1 | select, ...at(-7000)]), 'a selection').to.equal('58/7-');
    expect(station.writes).to.have.length(1);
  });
});

describe('selection', () => {
  const selected = 'tag,type,object,select\nt0,45,1,yes';

  it('comes before the execution, is of its value, and is used up by it', async () => {
    await using station = await Station.start(one, selected);
    await using centre = await Centre.start(station.port);
    expect(await command(centre, 45, 1, [1]), 'without selection').to.equal('45/7-');
    expect(await command(centre, 45, 1, [1 | select])).to.equal('45/7');
    expect(station.writes).to.deep.equal([]);
    expect(await command(centre, 45, 1, [1])).to.equal('45/7');
    await centre.next('its end', ({ cause }) => cause === 10);
    expect(await command(centre, 45, 1, [1]), 'again').to.equal('45/7-');
    expect(await command(centre, 45, 1, [1 | select])).to.equal('45/7');
    expect(await command(centre, 45, 1, [0]), 'another value').to.equal('45/7-');
    expect(await command(centre, 45, 1, [1]), 'the selection is gone').to.equal('45/7-');
    expect(written(station)).to.deep.equal(['t0=1']);
  });

  it('ends by deactivation, after its time, and with its connection', async () => {
    await using station = await Station.start(one, selected, { select_timeout: 1 });
    await using centre = await Centre.start(station.port);
    expect(await command(centre, 45, 1, [1 | select], 8), 'there is none').to.equal('45/9-');
    await command(centre, 45, 1, [1 | select]);
    expect(await command(centre, 45, 1, [1 | select], 8)).to.equal('45/9');
    expect(await command(centre, 45, 1, [1])).to.equal('45/7-');
    await command(centre, 45, 1, [1 | select]);
    station.record.clockOffset += 1100;
    expect(await command(centre, 45, 1, [1]), 'too late').to.equal('45/7-');
    expect(station.writes).to.deep.equal([]);
  });

  it('is of one connection, and free for another one when that has gone', async () => {
    const centres = 'north = 127.0.0.2; south = 127.0.0.3';
    await using station = await Station.start(one, selected, { centres });
    const north = await Centre.start(station.port, { localAddress: '127.0.0.2' });
    await using south = await Centre.start(station.port, { localAddress: '127.0.0.3' });
    expect(await command(north, 45, 1, [1 | select])).to.equal('45/7');
    expect(await command(south, 45, 1, [1 | select])).to.equal('45/7-');
    expect(await command(south, 45, 1, [1])).to.equal('45/7-');
    expect(await command(south, 45, 1, [1], 8), 'of another one').to.equal('45/9-');
    await north[Symbol.asyncDispose]();
    await until('north has gone', () => station.app.clients().length === 1);
    expect(await command(south, 45, 1, [1 | select])).to.equal('45/7');
    expect(await command(south, 45, 1, [1])).to.equal('45/7');
    expect(station.writes.map(({ options }) => options.from)).to.deep.equal(['127.0.0.3']);
  });
});

describe('pulses', () => {
  const settings = { short_pulse: 200, long_pulse: 600 };
  const short = 1 << 2;
  const long = 2 << 2;

  it('are written on, and off after their time; they end then', async () => {
    await using station = await Station.start(
      tagsOf(BIT, UINT8),
      'tag,type,object\nt0,45,1\nt1,46,2',
      settings,
    );
    await using centre = await Centre.start(station.port);
    for (const [type, ioa, element, least] of [
      [45, 1, [1 | short], 200],
      [46, 2, [2 | long], 600],
    ] as const) {
      const from = centre.units.length;
      const begin = performance.now();
      expect(await command(centre, type, ioa, element)).to.equal(`${type}/7`);
      await centre.next('its end', ({ cause }) => cause === 10, from);
      expect(performance.now() - begin).to.be.greaterThan(least - 5);
    }
    expect(written(station)).to.deep.equal(['t0=1', 't0=0', 't1=2', 't1=1']);
    await command(centre, 45, 1, [short]);
    await centre.next('off has no pulse', ({ cause }) => cause === 10, centre.units.length - 2);
    expect(written(station).slice(4)).to.deep.equal(['t0=0']);
  });

  const pulsed = 'tag,type,object,pulse\nt0,45,1,long';

  it('end also when the connection is lost, and early when the node stops', async () => {
    const station = await Station.start(one, pulsed, { long_pulse: 400 });
    try {
      {
        await using centre = await Centre.start(station.port);
        expect(await command(centre, 45, 1, [1]), 'the pulse of the row').to.equal('45/7');
      }
      await until('it ends', () => written(station).join() === 't0=1,t0=0');
      await until('nothing of it is kept', () => station.stored.size === 0);
    } finally {
      await station[Symbol.asyncDispose]();
    }
    const stopping = await Station.start(one, pulsed, { long_pulse: 600_000 });
    try {
      await using centre = await Centre.start(stopping.port);
      expect(await command(centre, 45, 1, [1])).to.equal('45/7');
    } finally {
      await stopping[Symbol.asyncDispose]();
    }
    expect(written(stopping)).to.deep.equal(['t0=1', 't0=0']);
    expect(stopping.stored.size, 'nothing is left').to.equal(0);
    expect(stopping.record.logs.join('\n')).not.to.include('was not ended');
  });

  it('that a stop could not end are kept, and ended by the next run once the driver is connected', async () => {
    await using station = await Station.start(one, pulsed, { long_pulse: 600_000 });
    {
      await using centre = await Centre.start(station.port);
      expect(await command(centre, 45, 1, [1])).to.equal('45/7');
    }
    station.answer = () => Promise.resolve(new Fault(ErrorCode.DISCONNECTED, 'The device is away.'));
    await station.stop();
    expect(station.record.logs.at(-1)).to.match(
      /^The pulse of 127\.0\.0\.1:\d+ at the object 1 of the common address 1 was not ended: The device is away\. The tag "t0" of the group "group" of "plant" may still be on;/,
    );
    expect([...station.stored.keys()]).to.deep.equal(['pulse 1 1']);
    station.answer = () => Promise.resolve(undefined);
    const kept = JSON.parse(station.stored.get('pulse 1 1')!) as object;
    station.stored.set('pulse 1 1', JSON.stringify({ ...kept, at: Date.now() }));
    await station.run();
    await until('it is ended', () => written(station).join() === 't0=1,t0=0,t0=0');
    await until('it is not kept any more', () => station.stored.size === 0);
    expect(station.writes.at(-1)?.options).to.deep.equal({ request: true, from: '127.0.0.1' });
    expect(station.record.logs).to.include(
      'A pulse that was interrupted has ended: the tag "t0" of the group "group" of "plant" was written off.',
    );
  });

  it('of long ago are not ended, and the log says so; nor those whose object was commanded since', async () => {
    await using station = await Station.start(one, pulsed, { long_pulse: 600_000 });
    const rest = { driver: 'plant', group: 'group', tag: 't0', value: 0, from: '127.0.0.9' };
    station.stored.set('pulse 1 1', JSON.stringify({ ...rest, at: Date.now() - 300_001 }));
    await station.stop();
    await station.run();
    await until('the log has it', () =>
      /could not be ended in time: the tag "t0"/.test(station.record.logs.join()),
    );
    await until('it is not kept any more', () => station.stored.size === 0);
    station.stored.set('pulse 1 1', JSON.stringify({ ...rest, at: Date.now() + 1500 }));
    await station.stop();
    await station.run();
    await using centre = await Centre.start(station.port);
    // Type 45 with "no pulse" takes that of the row, and off has none.
    expect(await command(centre, 45, 1, [0])).to.equal('45/7');
    expect(station.stored.size).to.equal(0);
    expect(written(station), 'the command alone').to.deep.equal(['t0=0']);
  });

  it('do not begin when they cannot be kept', async () => {
    await using station = await Station.start(one, pulsed, { long_pulse: 400 });
    await using centre = await Centre.start(station.port);
    station.stores = () => Promise.reject(new Fault(ErrorCode.INTERNAL, 'The disk is full.'));
    expect(await command(centre, 45, 1, [1])).to.equal('45/7-');
    expect(station.writes).to.deep.equal([]);
    expect(station.record.logs.at(-1)).to.include('was refused: The disk is full.');
  });
});
