import { layoutOf, sampleWith } from '@tagway/store/test';
import { type AppContext, DataType, ErrorCode, Fault, type Role, type TagWrite } from '@tagway/sdk';
import { expect } from 'chai';
import {
  AttributeIds,
  DataType as VariableType,
  StatusCodes,
  UserTokenType,
  type UserIdentityInfo,
  VariantArrayType,
  type WriteValueOptions,
} from 'node-opcua-client';
import { Client } from './kit/client.ts';
import { startServer, subscriptionTo } from './kit/node.ts';

const { BIT, BOOL, BYTES, DOUBLE, INT16, INT64, STRING, UINT64 } = DataType;

const layout = layoutOf([
  { name: 'int', type: INT16 },
  { name: 'long', type: INT64 },
  { name: 'ulong', type: UINT64 },
  { name: 'real', type: DOUBLE },
  { name: 'bit', type: BIT },
  { name: 'bool', type: BOOL },
  { name: 'text', type: STRING },
  { name: 'bytes', type: BYTES },
  { name: 'fixed', type: INT16, writable: false },
]);

const settings = { unsecured: true, anonymous: true };
const roles: Readonly<Record<string, Role>> = { vera: 'viewer', otto: 'operator' };
const userOf = (userName: string): UserIdentityInfo => ({
  type: UserTokenType.UserName,
  userName,
  password: 'secret',
});

/** A gateway with a viewer and an operator. */
const login = async (name: string, password: string): Promise<{ role: Role }> => {
  const role = roles[name];
  if (role === undefined || password !== 'secret') throw new Fault(ErrorCode.CREDENTIALS_INVALID);
  return { role };
};

function value(client: Client, name: string, dataType: VariableType, to: unknown): WriteValueOptions {
  const nodeId = client.id(`modbus/grp/${name}`);
  return {
    nodeId,
    attributeId: AttributeIds.Value,
    value: { value: { dataType, arrayType: VariantArrayType.Scalar, value: to } },
  };
}

describe('writes', function () {
  this.timeout(30_000);

  it('writes many tags in one call of the gateway, for the user, and answers each on its own', async () => {
    const calls: (readonly TagWrite[])[] = [];
    const callers: unknown[] = [];
    const write: AppContext['write'] = async (writes, { user, from } = {}) => {
      calls.push(writes);
      callers.push({ user, from });
      return writes.map(({ tag }) =>
        tag === 'real' ? new Fault(ErrorCode.DISCONNECTED, 'The device does not answer.') : undefined,
      );
    };
    await using node = await startServer(settings, { login, write });
    const subscription = subscriptionTo(layout);
    node.app.subscriptionsChanged([subscription]);
    node.deliver(sampleWith(layout, [1, 1n, 1n, 1, 1, true, '', new Uint8Array(), 1]), subscription);
    await using client = await Client.connect(node.port, { user: userOf('otto') });
    const { Boolean, Byte, ByteString, Double, Int16, Int64, String, UInt64 } = VariableType;
    const statuses = await client.session.write([
      value(client, 'int', Int16, -5),
      value(client, 'long', Int64, [0x8000_0000, 1]),
      value(client, 'ulong', UInt64, [0xffff_ffff, 0xffff_ffff]),
      value(client, 'real', Double, 1.5),
      value(client, 'bit', Byte, 1),
      value(client, 'bool', Boolean, true),
      value(client, 'text', String, 'zwölf'),
      value(client, 'bytes', ByteString, Buffer.from([1, 2])),
      value(client, 'fixed', Int16, 1),
      value(client, 'int', Double, 1),
      value(client, 'real', Double, NaN),
      value(client, 'none', Int16, 1),
      {
        ...value(client, 'int', Int16, 1),
        value: { statusCode: StatusCodes.Bad, value: { dataType: Int16, value: 1 } },
      },
      {
        nodeId: client.id('modbus/grp/int'),
        attributeId: AttributeIds.DisplayName,
        value: { value: { dataType: String, value: 'x' } },
      },
    ]);
    const {
      Good,
      BadNoCommunication,
      BadNodeIdUnknown,
      BadNotWritable,
      BadOutOfRange,
      BadTypeMismatch,
      BadWriteNotSupported,
    } = StatusCodes;
    expect(statuses.slice(0, 13).map(({ name }) => name)).to.deep.equal(
      [
        ...[Good, Good, Good, BadNoCommunication, Good, Good, Good, Good],
        ...[BadNotWritable, BadTypeMismatch, BadOutOfRange, BadNodeIdUnknown, BadWriteNotSupported],
      ].map(({ name }) => name),
    );
    expect(statuses[13]?.isNotGood(), 'a display name cannot be written').to.equal(true);
    expect(calls).to.have.length(1);
    expect(callers).to.deep.equal([{ user: 'otto', from: '127.0.0.1' }]);
    const written = calls[0]!.map(({ tag, value: to }) => [tag, to]);
    expect(written).to.deep.equal([
      ['int', -5],
      ['long', -(2n ** 63n) + 1n],
      ['ulong', 2n ** 64n - 1n],
      ['real', 1.5],
      ['bit', 1],
      ['bool', true],
      ['text', 'zwölf'],
      ['bytes', Buffer.from([1, 2])],
    ]);
    expect(node.lines.filter((line) => line.startsWith('The write of "otto"'))).to.deep.equal([
      'The write of "otto" to the tag real in the group grp of modbus was answered with BadNoCommunication: The device does not answer.',
    ]);
  });

  it('lets neither viewers nor anonymous clients write, and tells them so before they try', async () => {
    await using node = await startServer(settings, { login });
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    for (const [user, level] of [
      [undefined, 1],
      [userOf('vera'), 1],
      [userOf('otto'), 3],
    ] as const) {
      await using client = await Client.connect(node.port, user && { user });
      const { value: rights } = await client.read('modbus/grp/int', AttributeIds.UserAccessLevel);
      expect(rights.value).to.equal(level);
      const [status] = await client.session.write([value(client, 'int', VariableType.Int16, 1)]);
      expect(status).to.equal(level === 3 ? StatusCodes.Good : StatusCodes.BadUserAccessDenied);
    }
    expect(node.written).to.have.length(1);
  });

  it('takes a thousand writes in one call, and refuses more than ten thousand', async () => {
    await using node = await startServer(settings, { login });
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    await using client = await Client.connect(node.port, { user: userOf('otto') });
    const one = value(client, 'int', VariableType.Int16, 1);
    const statuses = await client.session.write(new Array<WriteValueOptions>(1000).fill(one));
    expect(statuses.every((status) => status.isGood())).to.equal(true);
    expect(node.written.map(({ length }) => length)).to.deep.equal([1000]);
    const refusal = await client.session.write(new Array<WriteValueOptions>(10_001).fill(one)).catch(String);
    expect(refusal).to.match(/BadTooManyOperations/);
  });
});
