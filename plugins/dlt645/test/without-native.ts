// A process in which the native module cannot be loaded: prints what is read over TCP, dialling out and being dialled, and the fault of a
// serial port.
import { registerHooks } from 'node:module';
import { isFault, LinkState } from '@tagway/sdk';
import { dialIn, freePort, readings, until } from '@tagway/testkit';
import { driverOf, own, pointsOf, serial, tcp } from './plant.ts';
import { Simulator } from './simulator.ts';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@serialport/bindings-cpp') throw new Error('no prebuilt binary');
    return next(specifier, context);
  },
});

const simulator = new Simulator().meter(own, { '00-01-00-00': '26 00 00 00' });
const points = pointsOf('00-01-00-00');
const port = await simulator.listen();
{
  await using client = await driverOf(tcp(port, { timeout: 1000 }));
  await until('the link is up', () => client.record.links.at(-1)?.state === LinkState.CONNECTED);
  console.log(JSON.stringify(await readings(client.driver, points)));
}
{
  const local = await freePort();
  await using server = await driverOf(tcp(local, { connection_mode: 1, timeout: 1000 }));
  await using _ = await dialIn(local, port);
  await until('the link is up', () => server.record.links.at(-1)?.state === LinkState.CONNECTED);
  console.log(JSON.stringify(await readings(server.driver, points)));
}
await simulator.close();

const refusal: unknown = await driverOf(serial('/dev/ttyS0')).catch((error: unknown) => error);
if (isFault(refusal)) console.log(refusal.code, refusal.retry, refusal.message);
