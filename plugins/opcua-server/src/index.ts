import { app } from '@tagway/sdk';
import { OpcUaServerApp } from './server-app.ts';
import { checkSettings, checkSubscription, type Params, type Settings } from './settings.ts';

export default app<Settings, Params>({
  create: (context) => new OpcUaServerApp(context),
  checkSettings,
  checkSubscription,
});
