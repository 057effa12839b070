// Device 77 in a process of its own: analog input 1, analog values 1 to 3 and binary output 1. Sends its port. A message
// `{ object: [type, instance], value, flags }` changes a present value and the four bits of its status flags, the first of which is the highest.
import { areas, objectOf } from '../src/properties.ts';
import { enumerated, real, Simulator } from './simulator.ts';

const device = new Simulator();
device.value(areas.AI as number, 1, real(20.5));
for (const instance of [1, 2, 3]) device.value(areas.AV as number, instance, real(instance));
device.value(areas.BO as number, 1, enumerated(0));

interface Change {
  readonly object: readonly [type: number, instance: number];
  readonly value: number;
  readonly flags?: number;
}

process.on('message', ({ object: [type, instance], value, flags = 0 }: Change) =>
  device.change(objectOf(type, instance), real(value), flags << 4),
);
process.on('disconnect', () => process.exit());
const { port } = await device.listen();
process.send?.({ port });
