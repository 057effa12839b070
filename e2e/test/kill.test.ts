import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { useGateway } from '../world/plant.ts';
import { cornerOf, nextMutation, random } from '../kit/mutations.ts';
import type { Corner } from '../kit/mutations.ts';
import { sleep, until } from '../kit/until.ts';

const rounds = 20;
const clients = 4;

/**
 * Each client mutates a corner of its own, one request after the other, so that after a kill at most one of its
 * requests is without an answer: the corner must then be as acknowledged, or as that one request would leave it.
 */
describe(`kill -9 during a burst of mutations, ${rounds} times`, function () {
  this.timeout(240_000);
  const { gateway, client } = useGateway();
  const seed = Date.now() % 1_000_000;
  let acknowledged = 0;

  async function mutate(
    client: Client,
    start: Corner,
    serial: number,
    ended: () => boolean,
  ): Promise<[certain: Corner, possible: Corner]> {
    const pick = random(seed + serial);
    let corner = start;
    let next = corner;
    try {
      while (!ended()) {
        const mutation = nextMutation(corner, serial, pick);
        next = mutation.then;
        serial += 1;
        await client.ok(mutation.method, mutation.path, mutation.data);
        corner = next;
        acknowledged += 1;
      }
    } catch (error) {
      if (!ended()) throw error; // Only the kill may end a request.
    }
    return [corner, next];
  }

  it('always boots to a state in which every acknowledged change is present', async () => {
    const corners: Corner[] = [];
    for (let index = 0; index < clients; index += 1) {
      const node = `driver ${index}`;
      const app = `app ${index}`;
      await client.ok('POST', '/node', { name: node, plugin: 'Modbus TCP' });
      await client.ok('POST', '/node', { name: app, plugin: 'MQTT' });
      corners.push({ node, app, timeout: null, groups: {} });
    }
    const pick = random(seed);
    for (let round = 0; round < rounds; round += 1) {
      let killed = false;
      const mutators = await Promise.all(corners.map(() => gateway.client()));
      const bursts = corners.map((corner, index) =>
        mutate(mutators[index]!, corner, (round * clients + index) * 1_000, () => killed),
      );
      await sleep(100 + pick(300));
      // On a busy machine a burst needs longer to be one.
      await until('a burst is under way', () => acknowledged > (round + 1) * clients);
      killed = true;
      await gateway.kill();
      const believed = await Promise.all(bursts);
      await gateway.start();
      for (const [index, [certain, possible]] of believed.entries()) {
        const seen = await cornerOf(client, certain.node, certain.app);
        const applied = JSON.stringify(seen) === JSON.stringify(possible);
        expect(seen, `round ${round}, client ${index}, seed ${seed}`).to.deep.equal(
          applied ? possible : certain,
        );
        expect(JSON.stringify(Object.keys(seen.groups)), 'the order of groups').to.equal(
          JSON.stringify(Object.keys((applied ? possible : certain).groups)),
        );
        corners[index] = seen;
      }
    }
    expect(acknowledged, 'the bursts were bursts').to.be.greaterThan(rounds * clients);
  });
});
