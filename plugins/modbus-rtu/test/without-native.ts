// A process in which the native module cannot be loaded: prints what is read over TCP, and the fault of a serial port.
import { registerHooks } from 'node:module';
import { isFault } from '@tagway/sdk';
import { pointsOf } from '@tagway/testkit';
import { Device } from './device.ts';
import { openFixture, serialSettings, tcpSettings } from './fixture.ts';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@serialport/bindings-cpp') throw new Error('no prebuilt binary');
    return next(specifier, context);
  },
});

const device = new Device();
const fixture = await openFixture(tcpSettings(await device.listen()));
console.log((await fixture.read(pointsOf('1!400005'))).join());
await fixture[Symbol.asyncDispose]();
await device.close();

const refusal: unknown = await openFixture(serialSettings('/dev/ttyS0')).catch((error: unknown) => error);
if (isFault(refusal)) console.log(refusal.code, refusal.retry, refusal.message);
