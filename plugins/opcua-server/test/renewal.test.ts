import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptCertificate, madeCertificate } from '@tagway/opcua-pki';
import { layoutOf } from '@tagway/store/test';
import { until } from '@tagway/testkit';
import { DataType } from '@tagway/sdk';
import { expect } from 'chai';
import { AttributeIds, MessageSecurityMode, SecurityPolicy } from 'node-opcua-client';
import { namesOf, renewBefore } from '../src/security/own-certificate.ts';
import { Client } from './kit/client.ts';
import { settingsOf, startServer, subscriptionTo } from './kit/node.ts';

const layout = layoutOf([{ name: 'int', type: DataType.INT16 }]);
const client = {
  securityMode: MessageSecurityMode.SignAndEncrypt,
  securityPolicy: SecurityPolicy.Basic256Sha256,
};
const tenYears = 3650 * 86_400_000;

/** The certificate that a client gets from the server. */
function shownTo({ client: connection }: Client): string {
  return (connection as unknown as { serverCertificate: Buffer }).serverCertificate.toString('base64');
}

describe('the certificate of a server that runs', function () {
  this.timeout(30_000);

  it('is renewed before its end: open sessions go on, new clients get the new one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tagway-app-'));
    const own = join(folder, 'pki', 'own');
    const params = { trust: 1, anonymous: true };
    // It ends an hour and a half after the moment from which it is renewed.
    const made = Date.now() - tenYears + renewBefore + 5_400_000;
    const before = await madeCertificate(own, { ...namesOf(settingsOf(params), 'opc'), name: 'test' }, made);
    await using node = await startServer(params, { folder, speed: 3600 });
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    await using first = await Client.connect(node.port, { client });
    expect(shownTo(first)).to.equal(before.certificate.raw.toString('base64'));
    expect(node.lines.filter((line) => line.startsWith('A certificate was made'))).to.deep.equal([]);

    await until('a certificate is made', () =>
      node.lines.some((line) =>
        line.startsWith('A certificate was made for the server, because that of before ends'),
      ),
    );
    const after = KeptCertificate.in(own)?.certificate.raw.toString('base64') ?? '';
    expect(after).not.to.equal(before.certificate.raw.toString('base64'));
    let second: Client | undefined;
    await until('a client gets it', async () => {
      await second?.[Symbol.asyncDispose]();
      second = await Client.connect(node.port, { client });
      return shownTo(second) === after;
    });
    for (const one of [first, second])
      expect((await one?.read('modbus/grp/int', AttributeIds.DisplayName))?.statusCode.name).to.equal('Good');
    await second?.[Symbol.asyncDispose]();
    expect(node.lines.filter((line) => line.startsWith('A certificate was made'))).to.have.length(1);
  });
});
