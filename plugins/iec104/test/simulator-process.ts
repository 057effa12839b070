// A controlled station in a process of its own: single point 100, which can be commanded, short float 200 and scaled value 300. Sends its
// port. A message `{ unit }` holds the octets of a unit of data, which is sent to whoever is connected.
import { Station } from './station.ts';

const station = await Station.start();
station.add(1, 100, 1).add(13, 200, 0, 0, 0xc0, 0x3f, 0).add(11, 300, 7, 0, 0);

process.on('message', ({ unit }: { readonly unit: readonly number[] }) => station.visit.send(unit));
process.on('disconnect', () => process.exit());
process.send?.({ port: station.port });
