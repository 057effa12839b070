import { Certificates } from '@tagway/store/test';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import { Dissection, hasOpenssl, until, withTshark } from '@tagway/testkit';
import { ClusterProxy } from './cluster-proxy.ts';
import { hasMockCluster, kafka, MockCluster } from '@tagway/testkit/kafka-cluster';
import { paramsFor, sampleOf, startNode, subscription } from './nodes.ts';

const suite = hasMockCluster ? describe : describe.skip;

suite(`the wire: ${kafka}`, () => {
  let cluster: MockCluster;
  before(async () => (cluster = await MockCluster.start()));
  after(() => cluster[Symbol.asyncDispose]());

  withTshark('tshark', () => {
    it('reads batches with the id of the producer and sequences that go on without a gap, confirmed by all replicas', async () => {
      await using proxy = await ClusterProxy.start(cluster.port);
      await using run = await startNode(paramsFor(proxy.port, { topic: 'numbered' }));
      for (let value = 0; value < 5; value++) {
        run.deliver(sampleOf(value), subscription);
        await until('it has come', async () => (await cluster.consume('numbered')).length > value);
      }
      const rows = proxy.wires.flatMap((wire) =>
        new Dissection(wire, 9092).fields(
          ['kafka.producer_id', 'kafka.producer_epoch', 'kafka.batch_base_sequence', 'kafka.required_acks'],
          'kafka.batch_base_sequence',
        ),
      );
      expect(rows).to.have.length.greaterThan(1);
      expect(new Set(rows.map(([id, epoch, , acks]) => [id, epoch, acks].join()))).to.have.length(1);
      expect(rows[0]?.[0], 'the id').to.match(/^[1-9]/);
      expect(rows[0]?.[3], 'acks').to.equal('-1');
      expect(rows.map((row) => Number(row[2]))).to.deep.equal([0, 1, 2, 3, 4]);
    });
  });

  (hasOpenssl ? it : it.skip)(
    'is secured by TLS, with a certificate of the client, and says what is wrong with it',
    async () => {
      using certificates = Certificates.make();
      await using proxy = await ClusterProxy.start(cluster.port, {
        cert: certificates.pem('broker'),
        key: certificates.pem('broker-key'),
        ca: certificates.pem('ca'),
        requestCert: true,
        rejectUnauthorized: true,
      });
      const client = { cert: certificates.base64('client'), key: certificates.base64('client-key') };
      const ca = certificates.base64('ca');
      await using run = await startNode(paramsFor(proxy.port, { topic: 'secure', ssl: true, ca, ...client }));
      run.deliver(sampleOf(1), subscription);
      await until('it has come', async () => (await cluster.consume('secure')).length === 1);
      for (const [params, why] of [
        [{ ca: certificates.base64('other'), ...client }, /does not come from the authority in "ca"/],
        [{ ca }, /wants a certificate of this client/],
      ] as const) {
        await run.restart(paramsFor(proxy.port, { topic: 'secure', ssl: true, ...params }));
        await until('it is refused', () => run.link === LinkState.DISCONNECTED);
        expect(run.reports.map(({ reason }) => reason).join('\n')).to.match(why);
      }
    },
  );
});
