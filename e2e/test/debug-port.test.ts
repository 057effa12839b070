import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { addModbus, connected, registerTags } from '../kit/configure.ts';
import { Debugger } from '../kit/debugger.ts';
import { freePort } from '../kit/free-port.ts';
import { usePlant } from '../world/plant.ts';
import { until } from '../kit/until.ts';

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('the port of a debugger', function () {
  this.timeout(60_000);
  const plugin = 'Modbus TCP';
  let port: number;
  let taking: Server | undefined;
  const plant = usePlant();

  before(async () => {
    await addModbus(plant.client, 'driver', { port: plant.device.port, tags: registerTags(1) });
    await connected(plant.client, 'driver');
    port = await freePort();
  });
  afterEach(() => taking?.close());

  it('is refused in a sentence when another process listens there, and the plugin goes on', async () => {
    taking = await listen(port);
    const { pid } = await plant.gateway.runner('modbus-tcp');
    const { status, body } = await plant.client.call<{ error: number; message: string }>(
      'PUT',
      '/plugin/debug',
      { plugin, port },
    );
    expect([status, body.error]).to.deep.equal([400, ErrorCode.PARAM_INVALID]);
    expect(body.message).to.match(/^No debugger could attach .* another process listens there\. Choose/);
    expect((await plant.gateway.runner('modbus-tcp')).pid).to.equal(pid);
  });

  it('is given up, once and with a sentence, when it is taken when the plugin is started again', async () => {
    const { client, gateway } = plant;
    await client.ok('PUT', '/plugin/debug', { plugin, port });
    const attached = await until('a debugger attaches', () => Debugger.attach(port));
    await connected(client, 'driver');
    const { pid } = await gateway.runner('modbus-tcp');
    await attached[Symbol.asyncDispose]();
    process.kill(pid, 'SIGKILL');
    taking = await until('the port is taken', () => listen(port).catch(() => undefined));
    await until(
      'another process runs the plugin',
      async () => (await gateway.runner('modbus-tcp')).pid !== pid,
    );
    await connected(client, 'driver');
    const log = await gateway.log();
    expect(log.split('runs without a debugger').length - 1, log).to.equal(1);
  });
});
