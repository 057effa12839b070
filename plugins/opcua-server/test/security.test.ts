import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layoutOf } from '@tagway/store/test';
import { DataType, ErrorCode, Fault } from '@tagway/sdk';
import { expect } from 'chai';
import {
  AttributeIds,
  MessageSecurityMode,
  OPCUAClient,
  SecurityPolicy,
  UserTokenType,
  type UserIdentityInfo,
} from 'node-opcua-client';
import { pemOf } from '@tagway/opcua-pki';
import { clientCertificate, trustingAll } from './kit/certificates.ts';
import { Client } from './kit/client.ts';
import { settingsOf, startServer, subscriptionTo, type ServerNode } from './kit/node.ts';

const { Sign, SignAndEncrypt } = MessageSecurityMode;
const { Basic256Sha256, Aes128_Sha256_RsaOaep, Aes256_Sha256_RsaPss } = SecurityPolicy;
const layout = layoutOf([{ name: 'int', type: DataType.INT16 }]);
const ada: UserIdentityInfo = { type: UserTokenType.UserName, userName: 'ada', password: 'secret' };

const login = async (name: string, password: string): Promise<{ role: 'operator' }> => {
  if (name === 'ada' && password === 'secret') return { role: 'operator' };
  throw new Fault(ErrorCode.CREDENTIALS_INVALID);
};

/** Endpoints that the server offers, without a session. */
async function endpointsOf(
  port: number,
): Promise<{ mode: string; policy: string; users: string[]; url: string }[]> {
  const client = OPCUAClient.create({
    endpointMustExist: false,
    connectionStrategy: { maxRetry: 0 },
    certificateKeyPairProvider: await clientCertificate(),
    clientCertificateManager: trustingAll(),
  });
  await client.connect(`opc.tcp://127.0.0.1:${port}`);
  try {
    return (await client.getEndpoints()).map((one) => ({
      mode: MessageSecurityMode[one.securityMode],
      policy: one.securityPolicyUri?.split('#')[1] ?? '',
      users: [...new Set(one.userIdentityTokens?.map(({ tokenType }) => UserTokenType[tokenType]))],
      url: one.endpointUrl ?? '',
    }));
  } finally {
    await client.disconnect();
  }
}

const secured = (securityMode: MessageSecurityMode, securityPolicy: SecurityPolicy) => ({
  securityMode,
  securityPolicy,
});

/** Connects and reads, and gives the sentence of the error if that is refused. */
async function attempt(
  node: ServerNode,
  ...options: Parameters<typeof Client.connect> extends [number, ...infer R] ? R : never
): Promise<string> {
  try {
    await using client = await Client.connect(node.port, ...options);
    const { statusCode } = await client.read('modbus/grp/int', AttributeIds.DisplayName);
    return statusCode.name;
  } catch (error) {
    return String(error);
  }
}

describe('security', function () {
  this.timeout(60_000);

  it('offers secured endpoints alone, with names and passwords alone, unless the settings say otherwise', async () => {
    await using node = await startServer({ hosts: 'plant.example:14840' });
    const endpoints = await endpointsOf(node.port);
    const expected = ['Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'].flatMap((policy) => [
      `Sign ${policy} UserName`,
      `SignAndEncrypt ${policy} UserName`,
    ]);
    const usable = endpoints.filter(({ users }) => users.length > 0);
    const shown = usable.map(({ mode, policy, users }) => `${mode} ${policy} ${users.join()}`);
    expect([...new Set(shown)].sort()).to.deep.equal(expected.sort());
    expect(endpoints.map(({ url }) => url)).to.include('opc.tcp://plant.example:14840');
    // The endpoint without security is for looking at endpoints.
    expect(await attempt(node)).not.to.equal('Good');
    expect(await attempt(node, { user: ada })).not.to.equal('Good');
  });

  it('refuses a client whose certificate is not trusted, says where it is, and takes it once it is moved', async () => {
    await using node = await startServer({ anonymous: true });
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    const options = { client: secured(SignAndEncrypt, Basic256Sha256) };
    expect(await attempt(node, options)).not.to.equal('Good');
    const { fingerprint } = (await clientCertificate()).kept.certificate;
    const name = `${fingerprint.replaceAll(':', '')}.der`;
    const pki = join(node.folder, 'pki');
    const [line, ...others] = node.lines.filter((one) => one.startsWith('A client was refused.'));
    expect(line)
      .to.include(fingerprint)
      .and.to.include(join(pki, 'rejected', name))
      .and.to.include(join(pki, 'trusted'));
    expect(others).to.deep.equal([]);
    expect(readdirSync(join(pki, 'rejected'))).to.deep.equal([name]);
    renameSync(join(pki, 'rejected', name), join(pki, 'trusted', name));
    for (const mode of [Sign, SignAndEncrypt])
      for (const policy of [Basic256Sha256, Aes128_Sha256_RsaOaep, Aes256_Sha256_RsaPss])
        expect(await attempt(node, { client: secured(mode, policy) }), `${policy} ${mode}`).to.equal('Good');
    // The certificate of the server and its key are those of the run before.
    const own = readdirSync(join(pki, 'own'));
    await node.restart(settingsAgain(node, { anonymous: true }));
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    expect(await attempt(node, options)).to.equal('Good');
    expect(readdirSync(join(pki, 'own'))).to.deep.equal(own);
    expect(node.lines.filter((one) => one.startsWith('A certificate was made'))).to.have.length(1);
  });

  it('has the gateway check names and passwords, and refuses what it refuses', async () => {
    const asked: string[] = [];
    await using node = await startServer(
      { trust: 1 },
      {
        login: (name, password, { address }) => {
          asked.push(`${name} ${password} ${address}`);
          return login(name, password);
        },
      },
    );
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    const client = secured(SignAndEncrypt, Aes256_Sha256_RsaPss);
    expect(await attempt(node, { client, user: ada })).to.equal('Good');
    expect(asked).to.deep.equal(['ada secret 127.0.0.1']);
    expect(
      await attempt(node, { client, user: { ...ada, password: 'guessed' } as UserIdentityInfo }),
    ).to.match(/BadUserAccessDenied|BadIdentityTokenRejected/);
    expect(await attempt(node, { client })).to.match(/BadIdentityToken|BadUserAccessDenied|anonymous/i);
    expect(node.count('refused_logins_total')).to.equal(1);
  });

  it('takes users with certificates that are trusted as users, and lets them do what the settings say', async () => {
    await using node = await startServer({ trust: 1, users: false, certificate_users: 2 });
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    const { kept } = await clientCertificate('user');
    const user: UserIdentityInfo = {
      type: UserTokenType.Certificate,
      certificateData: kept.certificate.raw,
      privateKey: pemOf(kept.key),
    };
    const client = secured(SignAndEncrypt, Basic256Sha256);
    expect(await attempt(node, { client, user })).to.match(/BadIdentityTokenRejected|BadUserAccessDenied/);
    expect(
      node.lines.some(
        (one) => one.startsWith('A login was refused.') && one.includes(kept.certificate.fingerprint),
      ),
    ).to.equal(true);
    const folder = join(node.folder, 'pki', 'users', 'trusted');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'user.der'), kept.certificate.raw);
    await using connected = await Client.connect(node.port, { client, user });
    const { value } = await connected.read('modbus/grp/int', AttributeIds.UserAccessLevel);
    expect(value.value).to.equal(3);
    expect(await attempt(node, { client, user: ada })).not.to.equal('Good');
  });

  it('refuses more sessions than it may have, and those who come after one has gone are served', async () => {
    await using node = await startServer({ unsecured: true, anonymous: true, max_sessions: 2 });
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    const first = await Client.connect(node.port);
    await using _second = await Client.connect(node.port);
    expect(await attempt(node)).to.match(/BadTooManySessions/);
    await first[Symbol.asyncDispose]();
    expect(await attempt(node)).to.equal('Good');
  });
});

function settingsAgain(node: ServerNode, params: object): never {
  return { ...settingsOf({ host: '127.0.0.1', port: node.port, ...params }) } as never;
}
