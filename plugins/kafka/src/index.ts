import { app } from '@tagway/sdk';
import { Cluster } from './cluster.ts';
import { KafkaApp } from './kafka.ts';
import { preview } from './records.ts';
import { checkSettings, type Settings } from './settings.ts';

/** Sends what drivers read to the topics of a Kafka cluster. */
export default app<Settings>({
  create: (context) => new KafkaApp(context),
  checkSettings,
  preview,
  async tryConnection(test) {
    const cluster = new Cluster(test.settings, { monotonic: () => performance.now() });
    try {
      await cluster.connect(test.signal, (step) => test.step(step));
    } finally {
      await cluster.disconnect();
    }
  },
});
