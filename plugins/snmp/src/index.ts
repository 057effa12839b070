import { driver } from '@tagway/sdk';
import { checkTag } from './address.ts';
import { SnmpDriver } from './driver.ts';
import { checkSettings, type Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => new SnmpDriver(context),
  checkTag,
  checkSettings,
});
