/* eslint-disable layers/direction -- The station of the driver's own tests, which is written after the standard and apart from the driver. */
// A controlled station of IEC 60870-5-104 whose bit strings change one after the other. Argument: JSON of how many `objects` it has and how
// many changes per second (`rate`) there are. It sends its port and, when it is interrogated, when its changes begin: change n, counted
// from 1, gives object n % objects + 1 the value n and is due n / rate seconds later.
import { Station, unitOf } from '../../plugins/iec104/test/station.ts';

const { objects, rate } = JSON.parse(process.argv[2] ?? '{}') as Record<'objects' | 'rate', number>;
/** Bit strings with a time that fit into a frame. */
const most = 16;

/** Milliseconds of the system's monotonic clock. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

function timeOctets(): number[] {
  const date = new Date();
  const milliseconds = date.getUTCSeconds() * 1000 + date.getUTCMilliseconds();
  const day = [date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCFullYear() % 100];
  return [milliseconds & 255, milliseconds >> 8, date.getUTCMinutes(), date.getUTCHours(), ...day];
}

const station = await Station.start();
for (let object = 1; object <= objects; object += 1) station.add(7, object, 0, 0, 0, 0, 0);

function beginChanges(): void {
  const from = now();
  let changes = 0;
  process.send?.({ from });
  setInterval(() => {
    const due = Math.floor(((now() - from) * rate) / 1000);
    while (changes < due) {
      const time = timeOctets();
      const count = Math.min(most, due - changes);
      const changed = Array.from({ length: count }, (): [number, ...number[]] => {
        changes += 1;
        const value = [changes & 255, (changes >> 8) & 255, (changes >> 16) & 255, changes >>> 24];
        return [(changes % objects) + 1, ...value, 0, ...time];
      });
      station.visit.send(unitOf(33, 3, changed));
    }
  }, 1);
}

station.script = (frame) => {
  if (frame.format !== 'I' || frame.unit.type !== 100) return false;
  station.script = undefined;
  beginChanges();
  return false;
};
process.on('disconnect', () => process.exit());
process.send?.({ port: station.port });
