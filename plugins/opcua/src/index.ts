import { driver } from '@tagway/sdk';
import { checkTag } from './address.ts';
import { OpcUaDriver } from './driver.ts';
import { checkSettings, type Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => new OpcUaDriver(context),
  checkTag,
  checkSettings,
});
