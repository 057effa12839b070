import { setTimeout as sleep } from 'node:timers/promises';
import { PersistentClient } from '@tagway/testkit';
import { Master } from './master.ts';

/** A master that is always there: it polls two registers, and counts the answers with values. */
export const persistentMaster = (port: number): PersistentClient =>
  new PersistentClient(port, async (client) => {
    await using master = await Master.connect(port);
    while (!client.isOver && !master.isClosed) {
      const answer = await Promise.race([master.ask('03 0000 0002'), sleep(1000)]);
      if (answer?.startsWith('0304') === true) client.taken++;
      await sleep(400);
    }
  });
