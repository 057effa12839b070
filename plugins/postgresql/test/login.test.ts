import { Certificates } from '@tagway/store/test';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import { hasOpenssl, until } from '@tagway/testkit';
import { paramsFor, sampleOf, startNode, subscription } from './nodes.ts';
import { hasPostgres, postgres, PostgresServer } from '@tagway/testkit/postgres-server';

const hasAll = hasPostgres && hasOpenssl;
const title = hasAll ? postgres : 'PostgreSQL (skipped: it needs postgresql and openssl)';

(hasAll ? describe : describe.skip)(`TLS and logins: ${title}`, () => {
  let certificates: Certificates;
  let server: PostgresServer;

  before(async () => {
    certificates = Certificates.make();
    server = await PostgresServer.start({
      hba: [
        'hostssl all writer 127.0.0.1/32 scram-sha-256',
        'hostssl all client 127.0.0.1/32 cert',
        'host all digest 127.0.0.1/32 md5',
        'host all clear 127.0.0.1/32 password',
      ],
      settings: [
        'ssl = on',
        "ssl_cert_file = 'broker.pem'",
        "ssl_key_file = 'broker-key.pem'",
        "ssl_ca_file = 'ca.pem'",
      ],
      files: Object.fromEntries(
        ['broker', 'broker-key', 'ca'].map((name) => [`${name}.pem`, certificates.pem(name)]),
      ),
    });
    await server.sql(
      `CREATE ROLE writer LOGIN PASSWORD 'sécret "x"'; CREATE ROLE client LOGIN; CREATE ROLE clear LOGIN PASSWORD 'plain';
       SET password_encryption = md5; CREATE ROLE digest LOGIN PASSWORD 'old';
       GRANT CREATE ON SCHEMA public TO writer, client, clear, digest`,
    );
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    certificates[Symbol.dispose]();
  });

  /** Stores a sample with these settings. Returns why there is no connection, or undefined when there is one. */
  const failure = async (params: Record<string, unknown>): Promise<string | undefined> => {
    const table = `t${Math.random().toString(36).slice(2)}`;
    await using run = await startNode(paramsFor(server.port, { table, ...params }));
    run.deliver(sampleOf(1), subscription);
    await until(
      'there is a connection or none',
      () => run.count('send_msgs_total') > 0 || run.link === LinkState.DISCONNECTED,
    );
    if (run.link === LinkState.DISCONNECTED) return run.reports.at(-1)?.reason;
    expect(await server.count(`SELECT count(*) FROM ${table}`)).to.equal(2);
    return undefined;
  };
  const writer = { user: 'writer', password: 'sécret "x"', ssl: true };

  it('takes a certificate of its authority and no other', async () => {
    const ca = certificates.base64('ca');
    expect(await failure({ ...writer, ca })).to.equal(undefined);
    expect(await failure({ ...writer, ca, host: 'localhost' })).to.equal(undefined);
    expect(await failure({ ...writer, 'any-certificate': true })).to.equal(undefined);
    expect(await failure({ ...writer, ca: certificates.base64('other') })).to.contain(
      'The certificate of the server does not come from the authority in "ca".',
    );
    expect(await failure(writer)).to.contain(
      'The certificate of the server does not come from the authority in "ca".',
    );
  });

  it('logs in with a certificate', async () => {
    const client = { user: 'client', ssl: true, ca: certificates.base64('ca') };
    const cert = { cert: certificates.base64('client'), key: certificates.base64('client-key') };
    expect(await failure({ ...client, ...cert })).to.equal(undefined);
    expect(
      await failure({ ...client, cert: cert.cert, key: certificates.base64('locked'), keypass: 'secret' }),
    ).to.equal(undefined);
    expect(await failure(client)).to.match(/certificate/);
    expect(
      await failure({
        ...client,
        cert: certificates.base64('stranger'),
        key: certificates.base64('stranger-key'),
      }),
    ).to.match(/The server does not accept the certificate in "cert"/);
  });

  it('logs in with the older kinds of passwords, and says what a server wants that refuses it without TLS', async () => {
    expect(await failure({ user: 'digest', password: 'old' })).to.equal(undefined);
    expect(await failure({ user: 'clear', password: 'plain' })).to.equal(undefined);
    expect(await failure({ user: 'clear', password: 'wrong' })).to.contain(
      'Check the settings "user" and "password"',
    );
    expect(await failure({ user: 'clear' })).to.match(/Check the settings "user" and "password"/);
    expect(await failure({ ...writer, ssl: false })).to.match(
      /no pg_hba.conf entry.*Check the settings "user" and "ssl"/,
    );
  });

  it('says that a server has no TLS', async () => {
    await using plain = await PostgresServer.start();
    await using run = await startNode(paramsFor(plain.port, { ssl: true, ca: certificates.base64('ca') }));
    await until('there is no connection', () => run.link === LinkState.DISCONNECTED);
    expect(run.reports.at(-1)?.reason).to.contain('The server does not speak TLS. Set "ssl" to false');
  });
});
