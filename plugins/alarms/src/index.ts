import { driver } from '@tagway/sdk';
import { checkTag } from './check-tag.ts';
import { AlarmsDriver } from './driver.ts';
import type { Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => new AlarmsDriver(context),
  checkTag,
});
