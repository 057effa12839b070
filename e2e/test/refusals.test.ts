import { ErrorCode, Attribute } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { subscriptionsOf, tagsOf } from '../kit/configuration.ts';
import { modbusSettings, mqttSettings, readGroup, readValues } from '../kit/configure.ts';
import { restartsWith } from '../kit/libraries.ts';
import { openFixture } from '../conformance/fixture.ts';
import type { Fixture } from '../conformance/fixture.ts';
import type { Device } from '../world/devices.ts';

describe('what refused calls leave behind, and calls of no endpoint', function () {
  this.timeout(60_000);
  let fixture: Fixture;
  let client: Client;
  let device: Device;
  before(async () => {
    fixture = await openFixture();
    ({ client, device } = fixture);
  });
  after(() => fixture?.[Symbol.asyncDispose]());

  describe('tags in a read', () => {
    const read = async (node: string): Promise<(number | undefined)[]> => {
      return [...(await readGroup(client, node, 'line')).values()].map(({ error }) => error);
    };

    it('3010 when the node does not run', async () => {
      expect(new Set(await read('idle'))).to.deep.equal(new Set([ErrorCode.NOT_RUNNING]));
    });

    it('3002 when the device is not connected', async () => {
      expect(await read('dark')).to.deep.equal([ErrorCode.DISCONNECTED]);
    });

    it('no member "value" beside an error, no member "error" beside a value', async () => {
      const { tags } = await client.ok<{ tags: object[] }>('POST', '/read', { node: 'dark', group: 'line' });
      expect(tags).to.have.length(1);
      const [{ message, ...dark }] = tags as [{ readonly message?: string }];
      expect(dark).to.deep.equal({ name: 'word', error: ErrorCode.DISCONNECTED });
      expect(message, 'why').to.match(/^[A-Z].+\.$/);
      const good = await client.ok<{ tags: object[] }>('POST', '/read', {
        node: 'plant',
        group: 'line',
        query: { name: 'constant' },
      });
      expect(good.tags).to.deep.equal([{ name: 'constant', value: 7 }]);
    });
  });

  describe('what a refused call leaves behind', () => {
    it('nothing of a node whose params were refused', async () => {
      await client.call('POST', '/node', { name: 'refused', plugin: 'Modbus TCP', params: { host: 1 } });
      const error = await client.errorOf('GET', '/node/state', { node: 'refused' });
      expect(error).to.equal(ErrorCode.NODE_NOT_FOUND);
    });

    it('the tags of a batch before the first bad one, and nothing after it', async () => {
      const attribute = Attribute.READ;
      const tag = (name: string, address: string): object => ({ name, address, attribute, type: 3 });
      const tags = [tag('a', '1!400001'), tag('b', '1!400002'), tag('c', 'nonsense'), tag('d', '1!400004')];
      const reply = await client.call('POST', '/tags', { node: 'idle', group: 'batch', tags });
      expect(reply.status).to.equal(206);
      expect(reply.body).to.deep.include({ index: 2, error: ErrorCode.TAG_ADDRESS_INVALID });
      expect(reply.text).to.match(/The tag \\"c\\" \(tags\[2\]\): .*nonsense/);
      const listed = await tagsOf(client, 'idle', 'batch');
      expect(listed.map(({ name }) => name)).to.deep.equal(['a', 'b']);
    });

    it('nothing on the device of a write of several tags of which one is refused', async () => {
      await device.setRegisters(0, [11]);
      const tags = [
        { tag: 'word', value: 12 },
        { tag: 'absent', value: 1 },
      ];
      await client.call('POST', '/write/tags', { node: 'plant', group: 'line', tags });
      expect(await device.registers(0, 1)).to.deep.equal([11]);
    });

    it('the subscriptions of a list before the first bad one', async () => {
      const groups = [
        { driver: 'dark', group: 'line', params: { topic: 'b' } },
        { driver: 'dark', group: 'absent', params: { topic: 'c' } },
        { driver: 'plant', group: 'second', params: { topic: 'd' } },
      ];
      const reply = await client.call('POST', '/subscribes', { app: 'bare', groups });
      expect([reply.status, reply.body.error]).to.deep.equal([404, ErrorCode.GROUP_NOT_FOUND]);
      expect(await subscriptionsOf(client, 'bare')).to.deep.equal([groups[0]]);
    });

    it('the gateway as usable as before', async () => {
      await readValues(client, 'plant', 'line');
      await client.ok('POST', '/node/setting', { node: 'plant', params: modbusSettings(device.port) });
      await client.ok('POST', '/node/setting', { node: 'north', params: mqttSettings(fixture.broker.port) });
    });
  });

  it('404 for a path that does not exist, 405 for a method that a path does not have', async () => {
    expect((await client.call('GET', '/nothing')).status).to.equal(404);
    expect((await client.call('GET', '/node/nothing')).status).to.equal(404);
    expect((await client.call('PUT', '/version')).status).to.equal(405);
    expect((await client.call('DELETE', '/read')).status).to.equal(405);
  });

  it('the node of a plugin of a third party, which runs again after a restart', () =>
    restartsWith(fixture.gateway, client, 'single', 'line'));

  it('an answer to a body that is too big, and to a huge number of tags', async () => {
    const tags = Array.from({ length: 70_000 }, (_, index) => ({
      name: `t${index}`,
      address: 'x',
      attribute: Attribute.READ,
      type: 3,
    }));
    const reply = await client
      .call('POST', '/tags', { node: 'idle', group: 'huge', tags })
      .catch(() => undefined);
    // A server may also close the connection on a body it will not read.
    if (reply !== undefined) expect(reply.status).to.be.within(400, 413);
    expect((await client.call('GET', '/version')).status).to.equal(200);
  });
});
