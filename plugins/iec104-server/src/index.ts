import { app } from '@tagway/sdk';
import { pointList } from './points/point-list.ts';
import { Iec104ServerApp } from './server-app.ts';
import { checkSettings, checkSubscription, type Params, type Settings } from './settings.ts';

export default app<Settings, Params>({
  create: (context) => new Iec104ServerApp(context),
  checkSettings,
  checkSubscription,
  preview: ({ settings, subscription }) => pointList(settings, subscription),
});
