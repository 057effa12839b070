import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { useGateway } from '../world/plant.ts';

describe('users', function () {
  this.timeout(60_000);
  const { gateway, client: admin } = useGateway();

  before(async () => {
    await admin.ok('POST', '/users', { name: 'operator', password: 'first' });
    await admin.ok('POST', '/users', { name: 'viewer', password: 'second' });
  });

  const errorOf = async (client: Client, ...call: Parameters<Client['call']>): Promise<[number, unknown]> => {
    const { status, body } = await client.call(...call);
    return [status, body.error];
  };

  it('log in and use the API', async () => {
    const operator = await gateway.anonymous().login('operator', 'first');
    await operator.ok('POST', '/node', { name: 'made by operator', plugin: 'MQTT' });
    const { users } = await operator.ok<{ users: object[] }>('GET', '/users');
    expect(users).to.deep.equal([{ name: 'operator', role: 'engineer' }]);
    expect((await admin.ok<{ users: object[] }>('GET', '/users')).users).to.deep.equal([
      { name: 'admin', role: 'admin' },
      { name: 'operator', role: 'engineer' },
      { name: 'viewer', role: 'engineer' },
    ]);
    expect(
      await errorOf(gateway.anonymous(), 'POST', '/login', { name: 'viewer', pass: 'first' }),
    ).to.deep.equal([401, ErrorCode.CREDENTIALS_INVALID]);
  });

  it('may change their own password, and nothing else about users', async () => {
    const operator = await gateway.anonymous().login('operator', 'first');
    await operator.ok('PUT', '/users', { name: 'operator', new_password: 'third' });
    await gateway.anonymous().login('operator', 'third');
    const body = { name: 'operator', old_pass: 'third', new_pass: 'fourth' };
    await operator.ok('POST', '/password', body);
    await gateway.anonymous().login('operator', 'fourth');
    for (const [method, data] of [
      ['POST', { name: 'accomplice', password: 'secret' }],
      ['PUT', { name: 'admin', new_password: 'taken' }],
      ['PUT', { name: 'viewer', new_password: 'taken' }],
      ['DELETE', { name: 'viewer' }],
    ] as const) {
      expect(await errorOf(operator, method, '/users', data)).to.deep.equal([
        403,
        ErrorCode.USER_NOT_PERMITTED,
      ]);
    }
    await gateway.anonymous().login('viewer', 'second');
    await gateway.anonymous().login('admin', '0000');
  });

  it('stay over a restart, and their tokens with them', async () => {
    const { token } = await gateway.anonymous().login('operator', 'fourth');
    await gateway.restart();
    const operator = gateway.anonymous();
    operator.token = token;
    expect(await errorOf(operator, 'DELETE', '/users', { name: 'viewer' })).to.deep.equal([
      403,
      ErrorCode.USER_NOT_PERMITTED,
    ]);
    await gateway.anonymous().login('viewer', 'second');
  });

  it('are out once they are deleted', async () => {
    const viewer = await gateway.anonymous().login('viewer', 'second');
    await viewer.ok('GET', '/version');
    await admin.ok('DELETE', '/users', { name: 'viewer' });
    expect(await errorOf(viewer, 'GET', '/version')).to.deep.equal([403, ErrorCode.TOKEN_INVALID]);
    const credentials = { name: 'viewer', pass: 'second' };
    expect(await errorOf(gateway.anonymous(), 'POST', '/login', credentials)).to.deep.equal([
      401,
      ErrorCode.CREDENTIALS_INVALID,
    ]);
  });
});
