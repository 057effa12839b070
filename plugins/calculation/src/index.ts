import { driver } from '@tagway/sdk';
import { checkTag } from './address.ts';
import { CalculationDriver } from './driver.ts';
import type { Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => new CalculationDriver(context),
  checkTag,
});
