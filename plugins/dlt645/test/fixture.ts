import { Attribute, DataType } from '@tagway/sdk';
import { fixtureWith, pointsWith, type DriverFixture, startedFixture, startFixture } from '@tagway/testkit';
import plugin from '../src/index.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

export type Fixture = DriverFixture<Simulator>;

/** The meter of the settings, and another one. */
export const own = '000000000161';
export const other = '210220003011';

/** No pause between requests, and short waits. */
const short = { mail_address: Number(own), timeout: 300, interval: 0, max_retries: 0 };
const tcp = { ...short, link: 1, connection_mode: 0 };

/** Meters that listen, and a started driver that is their client. */
export async function openFixture(changes: object = {}, simulator = new Simulator()): Promise<Fixture> {
  await simulator.listen();
  return startFixture(plugin, schema, simulator, { ...tcp, ...changes });
}

/** A started driver that waits for a device server to dial in. */
export function openServerFixture(port: number, changes: object = {}): Promise<DriverFixture<object>> {
  return startFixture(plugin, schema, { port }, { ...tcp, connection_mode: 1, ...changes });
}

/** A started driver on a serial port. */
export function openSerialFixture(device: string, changes: object = {}): Promise<DriverFixture<object>> {
  const params = { ...short, link: 0, device, stop: 0, parity: 2, baud: 4, data: 3, ...changes };
  return startedFixture(fixtureWith(plugin, schema, {}, params));
}

/** Points from pairs of address and type; UINT32 when the type is left out. */
export const pointsOf = pointsWith(DataType.UINT32, Attribute.READ);
