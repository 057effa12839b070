import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import { listenOn, until } from '@tagway/testkit';
import { hasMockCluster, kafka, MockCluster } from '@tagway/testkit/kafka-cluster';
import { ClusterProxy } from './cluster-proxy.ts';
import { paramsFor, sampleOf, startNode, subscription } from './nodes.ts';
import { ScramServer } from './scram-server.ts';

const user = 'plant=a,b';
const password = 'péncil, = 1';

/** A token server that gives token 1, token 2 and on to the client "plant" with the secret "s:e c". */
async function startTokenServer(asked: string[]): Promise<Server & { readonly url: string }> {
  const answer = async (request: IncomingMessage): Promise<string | undefined> => {
    asked.push(await text(request));
    // RFC 6749, section 2.3.1: both are encoded as in a form before they are joined.
    const right = `Basic ${Buffer.from('plant:s%3Ae+c').toString('base64')}`;
    if (request.headers.authorization !== right) return undefined;
    return JSON.stringify({ access_token: `token-${asked.length}`, token_type: 'Bearer', expires_in: 3600 });
  };
  const server = createServer((request, response) => {
    void answer(request).then((body) => response.writeHead(body === undefined ? 401 : 200).end(body));
  });
  const { port } = await listenOn(server);
  return Object.assign(server, { url: `http://127.0.0.1:${port}/token` });
}

describe('the SCRAM server of the tests', () => {
  const example = (hash: 'sha256' | 'sha512' = 'sha256', secret = 'pencil'): ScramServer =>
    new ScramServer(hash, new Map([['user', secret]]), {
      salt: Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'),
      nonce: '%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0',
    });
  const first = 'n,,n=user,r=rOprNGfwEbeRWgbNEkqO';
  const last =
    'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=';

  it('answers as in the example of RFC 7677, and takes no other proof', () => {
    const server = example();
    expect(server.first(first)).to.equal(
      'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
    );
    expect(server.last(last)).to.equal('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=');
    expect(server.last(last.replace('dHzb', 'dHzc'))).to.equal(undefined);
    for (const other of [example('sha256', 'pencils'), example('sha512')]) {
      other.first(first);
      expect(other.last(last)).to.equal(undefined);
    }
  });
});

(hasMockCluster ? describe : describe.skip)(`logins, before ${kafka}`, () => {
  let cluster: MockCluster;
  before(async () => (cluster = await MockCluster.start()));
  after(() => cluster[Symbol.asyncDispose]());

  for (const [index, mechanism] of (['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const).entries())
    it(`by ${mechanism} are done with the right password, and say what is wrong`, async () => {
      await using proxy = await ClusterProxy.start(cluster.port);
      proxy.users = { mechanism, passwords: new Map([[user, password]]) };
      const params = (more: object = {}): ReturnType<typeof paramsFor> =>
        paramsFor(proxy.port, { topic: mechanism, sasl: index + 1, username: user, password, ...more });
      await using run = await startNode(params({ password: 'wrong' }));
      run.deliver(sampleOf(1), subscription);
      const refused = async (why: RegExp): Promise<void> => {
        await until('it is refused', () => run.link === LinkState.DISCONNECTED);
        expect(run.reports.at(-1)?.reason).to.match(why);
      };
      await refused(/The broker refuses the login. Check the setting "sasl" and those of its login/);
      await run.restart(params({ sasl: ((index + 1) % 3) + 1 }));
      await refused(/The broker does not know this mechanism. Check the setting "sasl"/);
      await run.restart(params({ sasl: 0 }));
      await until('it is refused', () => run.link === LinkState.DISCONNECTED);
      expect(await cluster.consume(mechanism)).to.deep.equal([]);
      await run.restart(params());
      await until('it has come', async () => (await cluster.consume(mechanism)).length === 1);
    });

  it('whose password is changed at the broker while the node runs keep everything, and send it in order with the new one', async () => {
    await using proxy = await ClusterProxy.start(cluster.port);
    const mechanism = 'SCRAM-SHA-256';
    const topic = 'changed-password';
    proxy.users = { mechanism, passwords: new Map([[user, password]]) };
    const params = (more: object = {}): ReturnType<typeof paramsFor> =>
      paramsFor(proxy.port, { topic, sasl: 2, username: user, password, ...more });
    await using run = await startNode(params());
    for (let value = 0; value < 10; value++) run.deliver(sampleOf(value), subscription);
    await until('the first have come', async () => (await cluster.consume(topic)).length === 10);
    await until('they are confirmed', () => run.count('cached_msgs') === 0);
    proxy.users = { mechanism, passwords: new Map([[user, 'the new one']]) };
    proxy.cut();
    for (let value = 10; value < 20; value++) run.deliver(sampleOf(value), subscription);
    await until('it is refused', () => /refuses the login/.test(run.reports.at(-1)?.reason ?? ''));
    await run.restart(params({ password: 'the new one' }));
    await until('the rest has come', async () => (await cluster.consume(topic)).length === 20);
    const values = (await cluster.consume(topic)).map(
      ({ value }) => (JSON.parse(value) as { values: { tag0: number } }).values.tag0,
    );
    expect(values).to.deep.equal(Array.from({ length: 20 }, (_, value) => value));
    expect(run.count('dropped_msgs_total')).to.equal(0);
  });

  it('by OAUTHBEARER are done with a token that the token server gives, and say what is wrong', async () => {
    await using proxy = await ClusterProxy.start(cluster.port);
    const asked: string[] = [];
    const server = await startTokenServer(asked);
    try {
      const params = (more: object = {}): ReturnType<typeof paramsFor> =>
        paramsFor(proxy.port, {
          topic: 'OAUTHBEARER',
          sasl: 4,
          'token-url': server.url,
          'oauth-client': 'plant',
          'client-secret': 's:e c',
          scope: 'kafka',
          ...more,
        });
      proxy.users = { mechanism: 'OAUTHBEARER', passwords: new Map([['another', '']]) };
      await using run = await startNode(params({ 'client-secret': 'wrong' }));
      run.deliver(sampleOf(1), subscription);
      const refused = async (why: RegExp): Promise<void> => {
        await until('it is refused', () => run.link === LinkState.DISCONNECTED);
        expect(run.reports.at(-1)?.reason).to.match(why);
      };
      await refused(/The token server .* gives no token: it answers 401.* Check "token-url", "oauth-client"/);
      await run.restart(params());
      await refused(/The broker refuses the login. Check the setting "sasl" and those of its login/);
      expect(await cluster.consume('OAUTHBEARER')).to.deep.equal([]);
      // The broker takes what the token server gives from now on.
      proxy.users = {
        mechanism: 'OAUTHBEARER',
        passwords: new Map(Array.from({ length: 50 }, (_, index) => [`token-${index}`, ''])),
      };
      await until('it has come', async () => (await cluster.consume('OAUTHBEARER')).length === 1);
      expect(asked.at(-1)).to.equal('grant_type=client_credentials&scope=kafka');
    } finally {
      server.close();
    }
  });
});
