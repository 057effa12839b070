import { setTimeout as sleep } from 'node:timers/promises';
import { PersistentClient } from '@tagway/testkit';
import { Centre } from './centre.ts';

/** A control centre that is always there: it starts, interrogates, and counts the objects that are reported because they have changed. */
export const persistentCentre = (port: number): PersistentClient =>
  new PersistentClient(port, async (client) => {
    await using centre = await Centre.start(port);
    centre.send(100, 6, 0, [20]);
    let seen = 0;
    while (!client.isOver && !centre.isClosed) {
      const events = centre.reported.slice(seen);
      seen += events.length;
      client.taken += events.filter(({ cause }) => cause === 3).length;
      await sleep(20);
    }
  });
