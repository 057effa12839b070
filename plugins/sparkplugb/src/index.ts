import { app } from '@tagway/sdk';
import { checkSettings, checkSubscription } from './settings.ts';
import type { Settings } from './settings.ts';
import { SparkplugApp } from './sparkplug.ts';

/** An edge node of Sparkplug B: drivers are its devices, and their tags metrics that hosts read and write. */
export default app<Settings>({
  create: (context) => new SparkplugApp(context),
  checkSettings,
  checkSubscription,
});
