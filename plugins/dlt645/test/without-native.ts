// A process in which the native module cannot be loaded: prints what is read over TCP, dialling out and being dialled, and the fault of a
// serial port.
import { registerHooks } from 'node:module';
import { isFault, LinkState } from '@tagway/sdk';
import { dialIn, freePort, until } from '@tagway/testkit';
import { own, openFixture, pointsOf, openSerialFixture, openServerFixture } from './fixture.ts';
import { Simulator } from './simulator.ts';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@serialport/bindings-cpp') throw new Error('no prebuilt binary');
    return next(specifier, context);
  },
});

const simulator = new Simulator().meter(own, { '00-01-00-00': '26 00 00 00' });
const points = pointsOf('00-01-00-00');
{
  await using client = await openFixture({ timeout: 1000 }, simulator);
  await until('the link is up', () => client.link === LinkState.CONNECTED);
  console.log(JSON.stringify(await client.readings(points)));
}
{
  const local = await freePort();
  const port = await simulator.listen();
  await using server = await openServerFixture(local, { timeout: 1000 });
  await using _ = await dialIn(local, port);
  await until('the link is up', () => server.link === LinkState.CONNECTED);
  console.log(JSON.stringify(await server.readings(points)));
}
await simulator.close();

const refusal: unknown = await openSerialFixture('/dev/ttyS0').catch((error: unknown) => error);
if (isFault(refusal)) console.log(refusal.code, refusal.retry, refusal.message);
