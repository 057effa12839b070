import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { startBroker } from '../world/brokers.ts';
import type { Broker } from '../world/brokers.ts';
import { FastDevice } from '../bench/fast-device.ts';
import {
  addModbus,
  addMqtt,
  connected,
  hasValue,
  readGroup,
  readValues,
  registerTags,
  stateOf,
} from '../kit/configure.ts';
import { Device } from '../world/devices.ts';
import { useGateway } from '../world/plant.ts';
import { Subscriber } from '../world/subscriber.ts';
import { sleep, until } from '../kit/until.ts';

describe('what goes wrong in the field', function () {
  this.timeout(90_000);
  const { client } = useGateway();

  it('a device that loses power: the link goes down and comes back, readings resume, for every node of the plugin', async () => {
    let device = await Device.start();
    const other = await Device.start();
    try {
      const { port, kind } = device;
      await addModbus(client, 'power', { port, tags: registerTags(10) });
      await addModbus(client, 'neighbour', { port: other.port, tags: registerTags(10) });
      await device.setRegisters(0, [41]);
      await connected(client, 'power');
      await readValues(client, 'power', 'group');
      await device.stop();
      await until('the link is down and every tag says so', async () => {
        const tags = [...(await readGroup(client, 'power', 'group')).values()];
        return (
          (await stateOf(client, 'power')).link !== 2 &&
          tags.every(({ error }) => error === ErrorCode.DISCONNECTED)
        );
      });
      expect((await stateOf(client, 'power')).running).to.equal(3);
      expect(
        (await readValues(client, 'neighbour', 'group')).size,
        'the other device is read all the while',
      ).to.equal(10);
      device = await Device.start({ kind, port });
      await device.setRegisters(0, [42]);
      await connected(client, 'power', 30_000);
      const values = await readValues(client, 'power', 'group');
      await hasValue(client, 'power', 'group', 'tag0', 42);
      expect(values.size).to.equal(10);
    } finally {
      await device.stop();
      await other.stop();
    }
  });

  it('a unit that never answers beside one that does: the living one keeps its values', async () => {
    const device = await FastDevice.start({ silent: [2] });
    try {
      const dead = registerTags(5).map((tag) => ({
        ...tag,
        name: `dead ${tag.name}`,
        address: tag.address.replace('1!', '2!'),
      }));
      await addModbus(client, 'bus', { port: device.port, tags: [...registerTags(5), ...dead] });
      const mixed = async (): Promise<boolean> => {
        const tags = await readGroup(client, 'bus', 'group');
        const living = [...tags.values()].filter(({ name }) => !name.startsWith('dead'));
        const lost = [...tags.values()].filter(({ name }) => name.startsWith('dead'));
        return (
          living.every(({ error }) => error === undefined) && lost.every(({ error }) => (error ?? 0) > 0)
        );
      };
      await until('the living unit has values and the dead one errors', mixed);
      for (let look = 0; look < 20; look += 1) {
        await sleep(100);
        expect(await mixed(), `look ${look}`).to.equal(true);
      }
      expect(await stateOf(client, 'bus')).to.include({ running: 3, link: 2 });
    } finally {
      await device.stop();
    }
  });

  it('one register that does not exist costs its own tag alone', async () => {
    const device = await FastDevice.start({ size: 100 });
    try {
      const tags = registerTags(20, 1, 85);
      await addModbus(client, 'edge', { port: device.port, tags });
      await until('the tags within have values and those beyond have errors', async () => {
        const read = [...(await readGroup(client, 'edge', 'group')).values()];
        return read.every(({ error }, index) => (index < 16 ? error === undefined : (error ?? 0) > 0));
      });
    } finally {
      await device.stop();
    }
  });

  it('a broker that restarts: the link goes down and comes back, uploads resume', async () => {
    const device = await Device.start();
    let broker: Broker = await startBroker();
    const { port } = broker;
    try {
      await addModbus(client, 'source', { port: device.port, tags: registerTags(10) });
      await addMqtt(client, 'uplink', port);
      await client.ok('POST', '/subscribe', { app: 'uplink', driver: 'source', group: 'group' });
      await connected(client, 'uplink');
      await broker.stop();
      await until('the link is down', async () => (await stateOf(client, 'uplink')).link !== 2);
      await readValues(client, 'source', 'group');
      broker = await startBroker(port);
      await connected(client, 'uplink', 40_000);
      const subscriber = await Subscriber.connect(port, '#');
      try {
        await subscriber.upload('/neuron/uplink/source/group');
      } finally {
        await subscriber.close();
      }
    } finally {
      await broker.stop();
      await device.stop();
    }
  });

  it('a setting that does not change: the link stays, no reading is lost', async () => {
    const device = await Device.start();
    try {
      await addModbus(client, 'steady', { port: device.port, tags: registerTags(10) });
      await connected(client, 'steady');
      await readValues(client, 'steady', 'group');
      const { params } = await client.ok<{ params: object }>('GET', '/node/setting', { node: 'steady' });
      for (let time = 0; time < 5; time += 1) {
        await client.ok('POST', '/node/setting', { node: 'steady', params });
        for (const { error } of (await readGroup(client, 'steady', 'group')).values())
          expect(error).to.equal(undefined);
      }
    } finally {
      await device.stop();
    }
  });

  it('a new tag in a group: the values of the others stay', async () => {
    const device = await Device.start();
    try {
      // An interval this long shows that the values were kept, not read again.
      await addModbus(client, 'growing', { port: device.port, interval: 20_000, tags: registerTags(10) });
      await readValues(client, 'growing', 'group', 30_000);
      await client.ok('POST', '/tags', { node: 'growing', group: 'group', tags: registerTags(11).slice(10) });
      const tags = [...(await readGroup(client, 'growing', 'group')).values()];
      expect(tags.slice(0, 10).every(({ error }) => error === undefined)).to.equal(true);
    } finally {
      await device.stop();
    }
  });
});
