import { appConformance } from '@tagway/pluginkit';
import { ClusterProxy } from './cluster-proxy.ts';
import { hasMockCluster, kafka, MockCluster } from '@tagway/testkit/kafka-cluster';

let cluster: MockCluster | undefined;

(hasMockCluster ? describe : describe.skip)(`the conformance suite: ${kafka}`, () => {
  before(async () => (cluster = await MockCluster.start()));
  after(() => cluster?.[Symbol.asyncDispose]());

  appConformance(new URL('../', import.meta.url), {
    server: {
      peer: () => ClusterProxy.start(cluster?.port ?? 0),
      settings: (port) => ({
        brokers: `127.0.0.1:${port}`,
        'client-id': `conformance-${port}`,
        create_topics: true,
        'batch-age': 20,
        timeout: 1000,
      }),
    },
    refusedSettings: { brokers: 'kafka' },
  });
});
