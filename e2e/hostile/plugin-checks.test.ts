import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { Reply } from '../kit/client.ts';
import { readValues } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { UnrulyGateway } from './unruly.ts';

describe('a plugin that ends while it is asked about a tag', function () {
  this.timeout(30_000);
  const id = 'checker';
  let unruly: UnrulyGateway;

  before(async () => {
    unruly = await UnrulyGateway.start([id]);
    await unruly.add(id);
  });
  after(() => unruly?.dispose());

  const add = (name: string, address: string, type: number): Promise<Reply> =>
    unruly.client.call('POST', '/tags', {
      node: id,
      group: 'group',
      tags: [{ name, address, attribute: Attribute.READ, type }],
    });

  it('has the request refused as one that can be made again, not as a lost device', async () => {
    const { body, status } = await add('bad', 'exit', DataType.FLOAT);
    expect([status, body.error], body.message).to.deep.equal([500, ErrorCode.BUSY]);
    expect(body.message).to.include(`The plugin "${id}" cannot be asked right now`);
    await unruly.goesOn();
  });

  it('takes the next tag when its runner is back', async () => {
    await until(
      'the tag is added',
      async () => (await add('good', 'count', DataType.INT32)).body.error === 0,
    );
    await readValues(unruly.client, id, 'group');
  });

  it('runs again when the gateway is started again', () => unruly.restartsWith(id));
});
