import { Attribute, DataType, type AuditReply } from '@tagway/schemas';
import { expect } from 'chai';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../kit/client.ts';
import { addModbus, addMqtt, mqttSettings, readValues } from '../kit/configure.ts';
import { useGateway, useNorthPlant } from '../world/plant.ts';
import { sleep, until } from '../kit/until.ts';

const ask = (client: Client, query = ''): Promise<AuditReply> => client.ok('GET', `/audit${query}`);

describe('the audit of a gateway', function () {
  this.timeout(120_000);
  const plant = useNorthPlant();

  it('has writes that arrive over MQTT, under the name of the app, and no password of a broker', async () => {
    const { client, device, broker, subscriber } = plant;
    const word = { name: 'word', address: '1!400001', attribute: Attribute.READ | Attribute.WRITE };
    await addModbus(client, 'plant', {
      port: device.port,
      group: 'line',
      tags: [{ ...word, type: DataType.UINT16 }],
    });
    await addMqtt(client, 'north', broker.port);
    await readValues(client, 'plant', 'line');
    const params = mqttSettings(broker.port, { username: 'me', password: 'open sesame' });
    await client.ok('POST', '/node/setting', { node: 'north', params });
    const written = await until('the write is there', async () => {
      await subscriber.publish(
        '/neuron/north/write/req',
        '{"uuid":"1","node":"plant","group":"line","tag":"word","value":77}',
      );
      await sleep(200);
      return (await ask(client, '?user=north')).entries.at(0);
    });
    expect(written).to.include({
      kind: 'app',
      node: 'plant',
      error: 0,
      text: 'wrote to the node "plant": "word" = 77',
    });
    const [setting] = (await ask(client, '?node=north&text=changed')).entries;
    expect(setting?.after).to.deep.include({ username: 'me', password: '***' });
    expect(JSON.stringify(await ask(client))).not.to.include('sesame');
  });
});

describe('the audit and kill -9', function () {
  this.timeout(120_000);
  const { gateway, client } = useGateway();

  it('loses no entry of a change that was answered', async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < 5; round++) {
      let killed = false;
      const burst = Promise.all(
        [0, 1, 2].map(async (lane) => {
          for (let i = 0; !killed; i++) {
            const name = `n ${round} ${lane} ${i}`;
            try {
              await client.ok('POST', '/node', { name, plugin: 'MQTT' });
            } catch (error) {
              if (!killed) throw error;
              return;
            }
            acknowledged.push(name);
          }
        }),
      );
      const enough = acknowledged.length + 20;
      await until('changes were answered', () => acknowledged.length > enough);
      killed = true;
      await gateway.kill();
      await burst;
      await gateway.start();
    }
    const kept = new Set<string>();
    for (let page = 0, count = 1; page < count; page++) {
      const { entries, page_count } = await ask(client, `?page=${page}&page_size=1000`);
      for (const { node = '' } of entries) kept.add(node);
      count = page_count;
    }
    expect(acknowledged.filter((name) => !kept.has(name))).to.deep.equal([]);
  });

  it('lies in a folder of its own, apart from the log and its download', async () => {
    expect(await readdir(gateway.data)).to.include.members(['audit', 'logs']);
    const [name = ''] = await readdir(join(gateway.data, 'audit'));
    expect((await stat(join(gateway.data, 'audit', name))).size).to.be.greaterThan(0);
  });
});
