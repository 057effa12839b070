import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DataType } from '@tagway/sdk';
import { Dissection, withTshark } from '@tagway/testkit';
import { expect } from 'chai';
import modbus from 'modbus-serial';
import { Master } from './kit/master.ts';
import { mbpoll } from './kit/mbpoll.ts';
import { line, TestServer } from './kit/server.ts';

const ModbusClient = modbus.default;
const python = '/usr/bin/python3';
const has = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;
const itWithMbpoll = has('mbpoll', '-V') ? it : it.skip;
const itWithPymodbus = has(python, '-c', 'import pymodbus.client') ? it : it.skip;

const lines = [
  line('on', 1, 'coil', 1, '', '', '', 'rw'),
  line('off', 1, 'coil', 2, '', '', '', 'rw'),
  line('on', 1, 'discrete', 1),
  line('word', 1, 'input', 1, 'UINT16'),
  line('word', 1, 'holding', 1, 'UINT16', '', '', 'rw'),
  line('level', 1, 'holding', 2, 'FLOAT', 'CDAB', '', 'rw'),
  line('bit', 1, 'holding', '4.3', 'BIT', '', '', 'rw'),
];

async function start(): Promise<TestServer> {
  const server = await TestServer.start(lines);
  server.take({
    'plant/fast/on': { value: 1, type: DataType.BIT },
    'plant/fast/off': { value: 0, type: DataType.BIT },
    'plant/fast/word': { value: 1234, type: DataType.UINT16 },
    'plant/fast/level': { value: 1.5, type: DataType.FLOAT },
    'plant/fast/bit': { value: 1, type: DataType.BIT },
  });
  return server;
}

const written = ({ written }: TestServer): unknown[] =>
  written.flatMap(({ writes }) => writes.map(({ tag, value }) => [tag, value]));

describe('peers', function () {
  this.timeout(60_000);

  itWithMbpoll('mbpoll reads and writes all tables', async () => {
    await using server = await start();
    const poll = (...args: readonly string[]): Promise<string> =>
      mbpoll(['-m', 'tcp', '-p', String(server.port), '-a', '1', '-0', '-1', '-r', '0', ...args]);
    expect(await poll('-t', '0', '-c', '2', '127.0.0.1')).to.match(/\[0\]:\s+1\s+\[1\]:\s+0/);
    expect(await poll('-t', '1', '127.0.0.1')).to.match(/\[0\]:\s+1/);
    expect(await poll('-t', '3', '127.0.0.1')).to.match(/\[0\]:\s+1234/);
    expect(await poll('-t', '4', '127.0.0.1')).to.match(/\[0\]:\s+1234/);
    expect(await poll('-t', '4:float', '-r', '1', '127.0.0.1')).to.match(/\[1\]:\s+1\.5/);
    await poll('-t', '0', '127.0.0.1', '0', '1');
    await poll('-t', '4', '127.0.0.1', '77');
    await poll('-t', '4:float', '-r', '1', '127.0.0.1', '2.25');
    expect(written(server)).to.deep.equal([
      ['on', 0],
      ['off', 1],
      ['word', 77],
      ['level', 2.25],
    ]);
  });

  it('modbus-serial reads and writes all tables', async () => {
    await using server = await start();
    const client = new ModbusClient();
    await client.connectTCP('127.0.0.1', { port: server.port });
    try {
      client.setID(1);
      client.setTimeout(10_000);
      expect((await client.readCoils(0, 2)).data.slice(0, 2)).to.deep.equal([true, false]);
      expect((await client.readDiscreteInputs(0, 1)).data[0]).to.equal(true);
      expect((await client.readInputRegisters(0, 1)).data).to.deep.equal([1234]);
      expect((await client.readHoldingRegisters(0, 4)).data).to.deep.equal([1234, 0, 0x3fc0, 8]);
      await client.writeCoil(0, false);
      await client.writeCoils(0, [true, true]);
      await client.writeRegister(0, 7);
      await client.writeRegisters(0, [8, 0, 0x4010]);
      await client.maskWriteRegister(3, 0xfff7, 0);
      const { data } = await client.readDeviceIdentification(1, 0);
      expect([data[0], data[1]]).to.deep.equal(['Tagway', 'Modbus Server']);
      const refusal: unknown = await client.writeRegister(1, 7).catch((error: unknown) => error);
      expect(refusal).to.have.property('modbusCode', 2);
    } finally {
      await new Promise<void>((resolve) => client.close(() => resolve()));
    }
    expect(written(server)).to.deep.equal([
      ['on', 0],
      ['on', 1],
      ['off', 1],
      ['word', 7],
      ['word', 8],
      ['level', 2.25],
      ['bit', 0],
    ]);
  });

  itWithPymodbus('pymodbus has every function that is served', async () => {
    await using server = await start();
    const script = join(import.meta.dirname, 'kit/pymodbus-master.py');
    const { stdout } = await promisify(execFile)(python, [script, String(server.port)], { timeout: 30_000 });
    expect(JSON.parse(stdout)).to.deep.equal({
      coils: [true, false],
      inputs: [true],
      input: [1234],
      holding: [1234, 0, 16320, 8],
      writeCoil: true,
      writeCoils: true,
      writeRegister: true,
      writeRegisters: true,
      mask: true,
      readWrite: [9, 0, 16320],
      vendor: 'Tagway',
      gap: 2,
      unit: 11,
    });
  });

  withTshark('every frame', () => {
    it('passes the dissector of tshark', async () => {
      await using server = await start();
      await using master = await Master.connect(server.port);
      for (const pdu of [
        '01 0000 0002',
        '02 0000 0001',
        '03 0000 0004',
        '04 0000 0001',
        '05 0000 ff00',
        '06 0000 0001',
        '0f 0000 0002 01 03',
        '10 0000 0003 06 0001 0000 3fc0',
        '16 0003 fff7 0000',
        '17 0000 0003 0000 0001 02 0009',
        '2b 0e 01 00',
        '2b 0e 02 00',
        '03 0100 0001',
        '07',
      ])
        await master.ask(pdu);
      await master.ask('03 0000 0001', 9);
      const dissection = new Dissection(master.wire, 502);
      expect(dissection.malformed()).to.deep.equal([]);
      const answers = dissection.fields(
        ['modbus.func_code', 'modbus.exception_code'],
        'modbus && tcp.srcport == 502',
      );
      expect(answers).to.deep.equal([
        ...[1, 2, 3, 4, 5, 6, 15, 16, 22, 23, 43, 43].map((code) => [String(code), '']),
        ['3', '2'],
        ['7', '1'],
        ['3', '11'],
      ]);
    });
  });
});
