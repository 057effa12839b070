import { app } from '@tagway/sdk';
import { preview } from './messages.ts';
import { MqttApp } from './mqtt.ts';
import { checkSettings } from './settings.ts';
import type { Settings } from './settings.ts';
import { checkSubscription } from './topics.ts';
import { tryConnection } from './try-connection.ts';
import type { Params } from './topics.ts';

/** Publishes what drivers read to an MQTT broker and takes read and write requests from it. */
export default app<Settings, Params>({
  create: (context) => new MqttApp(context),
  checkSettings,
  checkSubscription,
  preview,
  tryConnection,
});
