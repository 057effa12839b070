import { app } from '@tagway/sdk';
import { ModbusServerApp } from './server-app.ts';
import { checkSettings, checkSubscription, type Params, type Settings } from './settings.ts';
import { proposal } from './table/proposal.ts';

export default app<Settings, Params>({
  create: (context) => new ModbusServerApp(context),
  checkSettings,
  checkSubscription,
  preview: ({ settings, subscription: { layout, params } }) =>
    proposal({
      table: settings.table,
      settings,
      unit: params?.unit ?? settings.unit,
      address: params?.address,
      layout,
    }),
});
