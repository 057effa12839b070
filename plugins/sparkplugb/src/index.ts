import { brokerOf, testClientId, tryBroker } from '@tagway/mqtt-client';
import { app } from '@tagway/sdk';
import { subscribedTopics } from './names.ts';
import { checkSettings, checkSubscription } from './settings.ts';
import type { Settings } from './settings.ts';
import { SparkplugApp } from './sparkplug.ts';

/** An edge node of Sparkplug B: drivers are its devices, and their tags metrics that hosts read and write. */
export default app<Settings>({
  create: (context) => new SparkplugApp(context),
  checkSettings,
  checkSubscription,
  async tryConnection(test) {
    const { settings } = test;
    const broker = { ...brokerOf(settings, testClientId(settings)), qos: 1 as const, will: undefined };
    await tryBroker(test, broker, { topics: subscribedTopics(settings) });
  },
});
