import { expect } from 'chai';
import modbusSerial from 'modbus-serial';
import { DataType, type Driver } from '@tagway/sdk';
import {
  examine,
  hasLibmodbus,
  hasPymodbus,
  ModbusFixture,
  type Peer,
  readings,
  startLibmodbus,
  startPymodbus,
} from '@tagway/modbus/test';
import { pointsOf, write } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Device } from './device.ts';

async function withDriver(
  port: number,
  changes: Partial<Settings>,
  work: (driver: Driver) => Promise<void>,
): Promise<void> {
  await using fixture = await ModbusFixture.of(plugin, schema, {}, { port, ...changes });
  await work(fixture.driver);
}

describe('devices that others have written', function () {
  this.timeout(60_000);

  for (const max_in_flight of [1, 8]) {
    const title = `libmodbus, ${max_in_flight} in flight`;
    if (!hasLibmodbus) it.skip(`${title} (skipped: libmodbus-dev or gcc is not installed)`);
    else {
      it(title, async () => {
        const peer: Peer = await startLibmodbus();
        try {
          await withDriver(peer.port, { max_in_flight }, examine);
        } finally {
          await peer.stop();
        }
      });
    }
  }

  for (const transport of ['tcp', 'udp'] as const) {
    const title = `pymodbus over ${transport.toUpperCase()}`;
    if (!hasPymodbus)
      it.skip(`${title} (skipped: python3-pymodbus or python3-serial-asyncio is not installed)`);
    else {
      it(title, async () => {
        const peer = await startPymodbus(transport);
        try {
          await withDriver(peer.port, { transport_mode: transport === 'udp' ? 1 : 0 }, examine);
        } finally {
          await peer.stop();
        }
      });
    }
  }

  it('the server of modbus-serial', async () => {
    const probe = new Device();
    const port = await probe.listen();
    await probe.close();
    const registers = Uint16Array.from({ length: 2000 }, (_, index) => index);
    const server = new modbusSerial.ServerTCP(
      {
        getHoldingRegister: (address: number) => registers[address] ?? 0,
        getInputRegister: (address: number) => 65_535 - address,
        setRegister: (address: number, value: number) => {
          registers[address] = value;
        },
      },
      { host: '127.0.0.1', port, unitID: 255 },
    );
    await new Promise((resolve) => server.once('initialized', resolve));
    try {
      await withDriver(port, { max_in_flight: 4 }, async (driver) => {
        const points = pointsOf(...Array.from({ length: 1000 }, (_, index) => `1!4${index + 1}`), [
          '1!300001',
          DataType.UINT16,
        ]);
        expect(await readings(driver, points)).to.deep.equal([
          ...Array.from({ length: 1000 }, (_, index) => index),
          65_535,
        ]);
        const [one, other] = pointsOf('1!400011', '1!400012');
        const writes = [
          { point: one!, value: -7 },
          { point: other!, value: 8 },
        ];
        expect(await write(driver, writes)).to.deep.equal([undefined, undefined]);
        expect([registers[10], registers[11]]).to.deep.equal([0xfff9, 8]);
      });
    } finally {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  });
});
