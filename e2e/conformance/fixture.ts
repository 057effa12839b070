import { Attribute } from '@tagway/schemas';
import { createPrivateKey, createSign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DialectName } from '@tagway/schemas';
import { startBroker } from '../world/brokers.ts';
import type { Broker } from '../world/brokers.ts';
import type { Client } from '../kit/client.ts';
import { addModbus, addMqtt, modbusSettings, readValues } from '../kit/configure.ts';
import type { Device } from '../world/devices.ts';
import type { Gateway } from '../kit/gateway.ts';
import { addLibrary } from '../kit/libraries.ts';
import { authorityFile } from '../kit/licenses.ts';
import { type Plant, startPlant } from '../world/plant.ts';
import type { TokenKind } from './rows.ts';

/** The gateway that the rows presuppose, and the world around it. */
export interface Fixture extends Plant, AsyncDisposable {
  readonly broker: Broker;
  /** Headers with other tokens. */
  readonly headers: Readonly<Record<TokenKind, string | null>>;
}

export async function openFixture(dialect: DialectName = 'specification'): Promise<Fixture> {
  await using stack = new AsyncDisposableStack();
  const broker = await startBroker();
  stack.defer(() => broker.stop());
  const plant = await startPlant(stack, {
    gateway: {
      args: ['--compat', dialect, '--license-ca', authorityFile, '--file-roots', '/'],
      prepare: async (data) => {
        await addLibrary(data, 'single', { manifest: { features: [] } });
        await addLibrary(data, 'passing');
      },
    },
  });
  await setUp(plant.client, plant.device, broker);
  const headers = await otherTokens(plant.gateway);
  const running = stack.move();
  return { ...plant, broker, headers, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function setUp(client: Client, device: Device, broker: Broker): Promise<void> {
  const word = { name: 'word', address: '1!400001', attribute: Attribute.READ | Attribute.WRITE, type: 4 };
  const text = { ...word, name: 'text', address: '1!400010.20', type: 13 };
  await addModbus(client, 'plant', {
    port: device.port,
    group: 'line',
    tags: [
      word,
      { name: 'short', address: '1!400002', attribute: Attribute.READ | Attribute.WRITE, type: 3 },
      { name: 'long', address: '1!400003', attribute: Attribute.READ | Attribute.WRITE, type: 8 },
      { name: 'float', address: '1!400007', attribute: Attribute.READ | Attribute.WRITE, type: 9 },
      text,
      { name: 'bytes', address: '1!400030.4', attribute: Attribute.READ | Attribute.WRITE, type: 14 },
      { name: 'coil', address: '1!000001', attribute: Attribute.READ | Attribute.WRITE, type: 11 },
      {
        name: 'scaled',
        address: '1!400040',
        attribute: Attribute.READ | Attribute.WRITE,
        type: 3,
        decimal: 0.1,
      },
      { name: 'read only', address: '1!400001', attribute: Attribute.READ, type: 4 },
      { name: 'constant', address: '', attribute: Attribute.STATIC, type: 3, value: 7 },
      { name: 'adjustable', address: '', attribute: Attribute.WRITE | Attribute.STATIC, type: 3, value: 7 },
    ],
  });
  for (const name of ['second', 'watched', 'free'])
    await client.ok('POST', '/group', { name, node: 'plant', interval: 1000 });
  await addModbus(client, 'dark', { port: 9, group: 'line', tags: [word] });
  await client.ok('POST', '/node', { name: 'idle', plugin: 'Modbus TCP' });
  await client.ok('POST', '/tags', { node: 'idle', group: 'line', tags: [word, text] });
  await client.ok('POST', '/node', { name: 'halted', plugin: 'Modbus TCP', params: modbusSettings(9) });
  await client.ok('POST', '/node/ctl', { node: 'halted', cmd: 1 });
  await client.ok('POST', '/node', { name: 'single', plugin: 'single', params: {} });
  await client.ok('POST', '/tags', {
    node: 'single',
    group: 'line',
    tags: [{ name: 'word', address: 'command', attribute: Attribute.READ | Attribute.WRITE, type: 13 }],
  });
  await addMqtt(client, 'north', broker.port);
  await client.ok('POST', '/node', { name: 'bare', plugin: 'MQTT' });
  for (const group of ['line', 'watched']) {
    await client.ok('POST', '/subscribe', { app: 'north', driver: 'plant', group, params: { topic: group } });
  }
  await client.ok('POST', '/users', { name: 'operator', password: 'operator' });
  const groups = [{ name: 'fast', interval: 1000, tags: [] }];
  await client.ok('POST', '/template', { name: 'orphan', plugin: 'passing', groups });
  await client.ok('DELETE', '/plugin', { plugin: 'passing' });
  await readValues(client, 'plant', 'line');
}

/** Signed with the gateway's own key, which only who can read its data folder has. */
async function otherTokens(gateway: Gateway): Promise<Fixture['headers']> {
  const key = createPrivateKey(await readFile(join(gateway.data, 'keys/token.pem')));
  const now = Math.floor(Date.now() / 1000);
  const operator = await gateway.anonymous().login('operator', 'operator');
  const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const bearer = (claims: object): string => {
    const text = `${base64({ alg: 'RS256', typ: 'JWT' })}.${base64({ iss: 'tagway', aud: 'tagway', ...claims })}`;
    return `Bearer ${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
  };
  return {
    missing: null,
    undecodable: 'Bearer nonsense',
    expired: bearer({ exp: now - 10 }),
    early: bearer({ exp: now + 600, nbf: now + 300 }),
    endless: bearer({}),
    operator: `Bearer ${operator.token}`,
    stranger: bearer({ exp: now + 600, user: 'stranger' }),
  };
}
