// A subscriber to what the event source pushes: it notes the change's number and the tenths of milliseconds since it was due.
import { listenToChanges } from './change-listener.ts';

listenToChanges((value, at) => {
  const stamp = Math.floor(Number(at) / 1e5) % 2 ** 17;
  return [Math.floor(value / 2 ** 17), (stamp - (value % 2 ** 17) + 2 ** 17) % 2 ** 17];
});
