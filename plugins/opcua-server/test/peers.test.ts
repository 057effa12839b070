import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { layoutOf } from '@tagway/store/test';
import { until } from '@tagway/testkit';
import { DataType, ErrorCode, Fault, isFault, type NodeCertificate } from '@tagway/sdk';
import { expect } from 'chai';
import {
  AttributeIds,
  MessageSecurityMode,
  SecurityPolicy,
  type UserIdentityInfo,
  UserTokenType,
} from 'node-opcua-client';
import { pemOf } from '@tagway/opcua-pki';
import type { OpcUaServerApp } from '../src/server-app.ts';
import { clientCertificate } from './kit/certificates.ts';
import { Client, type ConnectOptions } from './kit/client.ts';
import { settingsOf, startServer, subscriptionTo, type ServerNode } from './kit/node.ts';

const layout = layoutOf([
  { name: 'int', type: DataType.INT16 },
  { name: 'text', type: DataType.STRING },
]);
type Asked = Pick<OpcUaServerApp, 'clients' | 'certificates' | 'moveCertificate'>;

const secured = {
  securityMode: MessageSecurityMode.SignAndEncrypt,
  securityPolicy: SecurityPolicy.Basic256Sha256,
};

/** Whether a client is served, in a connection that ends with this. */
async function isServed(
  { port }: ServerNode,
  options: ConnectOptions = { client: secured },
): Promise<boolean> {
  try {
    await using client = await Client.connect(port, options);
    const { statusCode } = await client.read('modbus/grp/int', AttributeIds.DisplayName);
    return statusCode.isGood();
  } catch {
    return false;
  }
}

/** The app of the run of a node that is now. */
const appOf = ({ app }: ServerNode): Asked => app as unknown as Asked;
const states = (all: readonly NodeCertificate[]): string[] => all.map(({ of, state }) => `${of} ${state}`);

describe('what people see of clients', function () {
  this.timeout(60_000);

  it('lists who has a session, since when, how, and with how much', async () => {
    const from = Date.now();
    await using node = await startServer(
      { trust: 1, unsecured: true, anonymous: true },
      { login: async () => ({ role: 'operator' }) },
    );
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    expect(appOf(node).clients()).to.deep.equal([]);
    await using anonymous = await Client.connect(node.port, { client: { applicationName: 'Historian' } });
    await anonymous.monitor(['modbus/grp/int', 'modbus/grp/text'], () => undefined);
    const user: UserIdentityInfo = { type: UserTokenType.UserName, userName: 'ada', password: 'secret' };
    const ada = await Client.connect(node.port, { client: secured, user });
    const [first, second, ...others] = appOf(node).clients();
    expect(others).to.deep.equal([]);
    expect(first).to.include({ subscriptions: 1, items: 2 });
    expect(first?.endpoint).to.match(new RegExp(`^opc\\.tcp://.+:${node.port}$`));
    expect(first?.name).to.include('Historian');
    expect(first?.address).to.match(/^127\.0\.0\.1:[0-9]+$/);
    expect(first?.since).to.be.within(from, Date.now());
    expect(first).not.to.have.any.keys('user', 'security');
    expect(second).to.include({
      user: 'ada',
      security: 'SignAndEncrypt, Basic256Sha256',
      subscriptions: 0,
      items: 0,
    });
    await ada[Symbol.asyncDispose]();
    expect(appOf(node).clients()).to.have.length(1);
  });

  it('trusts, rejects and deletes certificates of clients, ends what is not trusted any more, and keeps it over a restart', async () => {
    await using node = await startServer({ anonymous: true });
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    expect(states(appOf(node).certificates())).to.deep.equal(['node own']);
    expect(await isServed(node)).to.equal(false);
    const rejected = appOf(node)
      .certificates()
      .find(({ of }) => of === 'client');
    const { certificate } = (await clientCertificate()).kept;
    expect(rejected).to.include({
      state: 'rejected',
      sha1: certificate.fingerprint,
      sha256: certificate.fingerprint256,
      until: certificate.validToDate.getTime(),
      authority: false,
    });
    expect(Buffer.from(rejected?.content ?? []).equals(certificate.raw)).to.equal(true);
    const { id } = rejected!;

    await appOf(node).moveCertificate(id, 'trusted');
    expect(states(appOf(node).certificates())).to.deep.equal(['node own', 'client trusted']);
    expect(await isServed(node)).to.equal(true);
    await node.restart(settingsOf({ host: '127.0.0.1', port: node.port, anonymous: true }));
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    expect(await isServed(node), 'after a restart').to.equal(true);

    await using other = await Client.connect(node.port, { client: secured });
    let isLost = false;
    other.client.on('connection_lost', () => (isLost = true));
    other.client.on('close', () => (isLost = true));
    await appOf(node).moveCertificate(id, 'rejected');
    expect(appOf(node).clients()).to.deep.equal([]);
    await until('the connection of the client is ended', () => isLost);
    expect(await isServed(node)).to.equal(false);
    expect(states(appOf(node).certificates())).to.deep.equal(['node own', 'client rejected']);

    await appOf(node).moveCertificate(id, 'deleted');
    expect(states(appOf(node).certificates())).to.deep.equal(['node own']);
    const pki = join(node.folder, 'pki');
    expect(['trusted', 'rejected'].flatMap((folder) => readdirSync(join(pki, folder)))).to.deep.equal([]);
    const fault: unknown = await appOf(node)
      .moveCertificate(id, 'trusted')
      .catch((error: unknown) => error);
    expect(isFault(fault) && fault.code).to.equal(ErrorCode.CERTIFICATE_NOT_FOUND);
    const said = node.lines.filter((line) => line.includes(' of a client with the SHA-1 fingerprint '));
    expect(said.map((line) => line.split(' ').at(-1))).to.deep.equal(['trusted.', 'rejected.', 'deleted.']);
  });

  it('ends the session of a user whose certificate is not trusted any more, and no other', async () => {
    await using node = await startServer(
      { trust: 1, certificate_users: 2 },
      { login: () => Promise.reject(new Fault(ErrorCode.CREDENTIALS_INVALID)) },
    );
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    const userOf = async (name: string): Promise<UserIdentityInfo> => {
      const { kept } = await clientCertificate(name);
      const privateKey = pemOf(kept.key);
      return { type: UserTokenType.Certificate, certificateData: kept.certificate.raw, privateKey };
    };
    const eve = await userOf('user');
    const carl = await userOf('another user');
    for (const user of [eve, carl]) expect(await isServed(node, { client: secured, user })).to.equal(false);
    const ids = appOf(node)
      .certificates()
      .flatMap(({ id, of }) => (of === 'user' ? [id] : []));
    expect(ids).to.have.length(2);
    for (const id of ids) await appOf(node).moveCertificate(id, 'trusted');
    await using _first = await Client.connect(node.port, { client: secured, user: eve });
    await using _second = await Client.connect(node.port, { client: secured, user: carl });
    const [one] = appOf(node).clients();
    await appOf(node).moveCertificate(
      appOf(node)
        .certificates()
        .find(({ subject, of }) => of === 'user' && one?.user?.includes(subject))!.id,
      'deleted',
    );
    expect(
      appOf(node)
        .clients()
        .map(({ user }) => user),
    ).to.deep.equal([appOf(node).clients()[0]?.user]);
    expect(appOf(node).clients()[0]?.user).not.to.equal(one?.user);
  });
});
